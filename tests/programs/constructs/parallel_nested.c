/* Two threads, each opens a region of two threads; both inner regions are there at the same time. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  atomic_int members = 0, arrived = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    {
      meet(&arrived, 4);
      atomic_fetch_add(&members, 1);
    }
  }
  truth("parallel", 3);
  truth("members", 6);
  return finish(members == 4);
}
