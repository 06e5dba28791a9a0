/* master, masked, and masked with a filter: events on the executing thread only. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int sum = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    atomic_fetch_add(&sum, 1);
#pragma omp masked
    atomic_fetch_add(&sum, 2);
#pragma omp masked filter(1)
    atomic_fetch_add(&sum, 4);
  }
  truth("masked", 3);
  return finish(sum == 7);
}
