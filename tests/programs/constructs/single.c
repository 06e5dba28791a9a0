/* Two single constructs, the second nowait. Thread 1 comes late to both, so thread 0 executes them. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  atomic_int sum = 0, first = 0, second = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1)
      hold(&first);
#pragma omp single
    {
      atomic_fetch_add(&sum, 1);
      release(&first);
    }
    if (omp_get_thread_num() == 1)
      hold(&second);
#pragma omp single nowait
    {
      atomic_fetch_add(&sum, 2);
      release(&second);
    }
  }
  truth("singles", 4);
  truth("single_blocks", 2);
  truth("implicit_barriers", 4);
  return finish(sum == 3);
}
