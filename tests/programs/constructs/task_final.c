/* A final task: its child is included, so executed at once. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int done = 0, gate = 0;
  int seen = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp masked
    {
#pragma omp task final(1)
      {
#pragma omp task
        atomic_fetch_add(&done, 1);
        seen = done;
      }
#pragma omp taskwait
      release(&gate);
    }
    hold(&gate);
  }
  truth("tasks", 2);
  truth("tasks_completed", 2);
  return finish(seen == 1);
}
