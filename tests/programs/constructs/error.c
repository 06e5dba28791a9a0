/* The error directive, severity warning, at execution time. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int members = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp error at(execution) severity(warning) message("nothing is wrong")
    atomic_fetch_add(&members, 1);
  }
  truth("errors", 2);
  return finish(members == 2);
}
