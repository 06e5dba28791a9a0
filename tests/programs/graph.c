/* A graph of tasks: first, then long and short side by side, then last. The critical path is first, long, last. */
#include "tests/programs/program.h"

#include <omp.h>
#include <time.h>

static void nap(long ms)
{
  nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

int main(void)
{
  char first, longer, shorter;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : first)
    nap(30); /* first */
#pragma omp task depend(in : first) depend(out : longer)
    nap(50); /* long */
#pragma omp task depend(in : first) depend(out : shorter)
    nap(10); /* short */
#pragma omp task depend(in : longer, shorter)
    nap(20); /* last */
#pragma omp taskwait
  }
  (void)first, (void)longer, (void)shorter;
  return finish(true);
}
