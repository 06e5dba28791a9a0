/* An untied task of two fragments: it is suspended at its taskyield or taskwait. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int done = 0, gate = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp masked
    {
#pragma omp task untied
      {
        atomic_fetch_add(&done, 1);
#pragma omp task
        atomic_fetch_add(&done, 2);
#pragma omp taskwait
        atomic_fetch_add(&done, 4);
      }
#pragma omp taskwait
      release(&gate);
    }
    hold(&gate);
  }
  truth("tasks", 2);
  truth("tasks_completed", 2);
  return finish(done == 7);
}
