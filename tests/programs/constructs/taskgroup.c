/* A taskgroup with a task and that task's child; the group waits for both. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int done = 0, gate = 0;
  int seen = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp masked
    {
#pragma omp taskgroup
      {
#pragma omp task
        {
#pragma omp task
          atomic_fetch_add(&done, 1);
          atomic_fetch_add(&done, 1);
        }
      }
      seen = done;
      release(&gate);
    }
    hold(&gate);
  }
  truth("taskgroups", 1);
  truth("tasks", 2);
  truth("tasks_completed", 2);
  return finish(seen == 2);
}
