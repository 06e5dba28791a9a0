/* taskyield: the thread executes the other task there. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int done = 0, gate = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp masked
    {
#pragma omp task
      atomic_fetch_add(&done, 1);
#pragma omp taskyield
#pragma omp taskwait
      release(&gate);
    }
    hold(&gate);
  }
  truth("tasks", 1);
  truth("tasks_completed", 1);
  return finish(done == 1);
}
