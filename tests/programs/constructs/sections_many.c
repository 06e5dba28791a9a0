/* More sections than threads: how they are dealt out is the runtime's choice. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int sum = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp sections
    {
#pragma omp section
      atomic_fetch_add(&sum, 1);
#pragma omp section
      atomic_fetch_add(&sum, 2);
#pragma omp section
      atomic_fetch_add(&sum, 4);
    }
  }
  truth("sections", 2);
  return finish(sum == 7);
}
