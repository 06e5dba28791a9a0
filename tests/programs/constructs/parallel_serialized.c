/* Regions that are executed by one thread: if(0) and num_threads(1). They have no closing barrier. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int members = 0;
#pragma omp parallel if (0)
  atomic_fetch_add(&members, 1);
#pragma omp parallel num_threads(1)
  atomic_fetch_add(&members, 1);
  truth("parallel", 2);
  truth("members", 2);
  truth("implicit_barriers", 0);
  return finish(members == 2);
}
