/* A single whose value goes to the other threads. Thread 1 comes late, so thread 0 executes it. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  atomic_int sum = 0, gate = 0;
#pragma omp parallel num_threads(2)
  {
    int value;
    if (omp_get_thread_num() == 1)
      hold(&gate);
#pragma omp single copyprivate(value)
    {
      value = 21;
      release(&gate);
    }
    atomic_fetch_add(&sum, value);
  }
  truth("singles", 2);
  truth("single_blocks", 1);
  return finish(sum == 42);
}
