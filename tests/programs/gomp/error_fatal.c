/* The error directive, severity fatal: libgomp prints the message and ends the program. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int members = 0;
#pragma omp parallel num_threads(2)
  atomic_fetch_add(&members, 1);
  truth("parallel", 1);
  truth("members", 2);
  truth("errors", 1);
  fflush(stdout);
#pragma omp error at(execution) severity(fatal) message("no further")
  return finish(false);
}
