/* Two sections, one a thread. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int arrived = 0, sum = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp sections
    {
#pragma omp section
      {
        meet(&arrived, 2);
        atomic_fetch_add(&sum, 1);
      }
#pragma omp section
      {
        meet(&arrived, 2);
        atomic_fetch_add(&sum, 2);
      }
    }
  }
  truth("sections", 2);
  return finish(sum == 3);
}
