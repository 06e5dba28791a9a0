/* Tasks in a chain of dependences of every kind. */
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
#pragma omp task shared(x, y) depend(in : x) depend(inout : y)
      y = x + 1;
#pragma omp task shared(y) depend(mutexinoutset : y)
      y += 1;
#pragma omp task shared(y, seen) depend(in : x, y)
      seen = y;
#pragma omp taskwait
      release(&gate);
    }
    hold(&gate);
  }
  truth("tasks", 4);
  truth("tasks_completed", 4);
  truth("dependences", 6);
  return finish(seen == 3);
}
