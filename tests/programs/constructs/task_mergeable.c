/* mergeable: the runtime never merges, and does not pass the flag on. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int done = 0, gate = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp masked
    {
#pragma omp task mergeable
      atomic_fetch_add(&done, 1);
#pragma omp taskwait
      release(&gate);
    }
    hold(&gate);
  }
  truth("tasks", 1);
  truth("tasks_completed", 1);
  return finish(done == 1);
}
