/* Nested regions where nesting is switched off: the inner regions ask for two threads and get one. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  atomic_int members = 0;
  omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    atomic_fetch_add(&members, 1);
  }
  truth("parallel", 3);
  truth("members", 4);
  return finish(members == 2);
}
