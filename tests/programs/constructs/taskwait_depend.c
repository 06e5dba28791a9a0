/* A taskwait that waits for one of two tasks. */
#include "tests/programs/program.h"

int main(void)
{
  int x = 0, y = 0, seen = 0;
  atomic_int gate = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp masked
    {
#pragma omp task shared(x) depend(out : x)
      x = 1;
#pragma omp task shared(y) depend(out : y)
      y = 1;
#pragma omp taskwait depend(in : x)
      seen = x;
#pragma omp taskwait
      release(&gate);
    }
    hold(&gate);
  }
  truth("tasks", 2);
  truth("tasks_completed", 2);
  return finish(seen == 1 && y == 1);
}
