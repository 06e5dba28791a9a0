/* Two explicit barriers. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int sum = 0;
  int before = 0;
#pragma omp parallel num_threads(2)
  {
    atomic_fetch_add(&sum, 1);
#pragma omp barrier
#pragma omp masked
    before = sum;
#pragma omp barrier
    atomic_fetch_add(&sum, 1);
  }
  truth("barriers", 4);
  truth("implicit_barriers", 2);
  return finish(before == 2 && sum == 4);
}
