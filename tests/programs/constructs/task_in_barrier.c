/* A task that is executed in the barrier at the region's end. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  atomic_int done = 0, gate = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp masked
    {
#pragma omp task
      {
        atomic_fetch_add(&done, 1);
        release(&gate);
      }
    }
    if (omp_get_thread_num() == 1)
      hold(&gate);
  }
  truth("tasks", 1);
  truth("tasks_completed", 1);
  truth("implicit_barriers", 2);
  return finish(done == 1);
}
