/* A task and the taskwait for it. */
#include "tests/programs/program.h"

int main(void)
{
  int done = 0, seen = 0;
  atomic_int gate = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp masked
    {
#pragma omp task shared(done)
      done = 1;
#pragma omp taskwait
      seen = done;
      release(&gate);
    }
    hold(&gate);
  }
  truth("tasks", 1);
  truth("tasks_completed", 1);
  truth("taskwaits", 1);
  return finish(seen == 1);
}
