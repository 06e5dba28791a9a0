/* Deferred tasks, one of them with a child. All are executed by the thread that made them. */
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
#pragma omp task
      {
#pragma omp task
        atomic_fetch_add(&done, 4);
#pragma omp taskwait
        atomic_fetch_add(&done, 2);
      }
#pragma omp taskwait
      release(&gate);
    }
    hold(&gate);
  }
  truth("tasks", 3);
  truth("tasks_completed", 3);
  truth("taskwaits", 2);
  return finish(done == 7);
}
