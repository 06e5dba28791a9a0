/* A loop without iterations, and one with fewer iterations than threads. */
#include "tests/programs/program.h"

int main(int argc, char **argv)
{
  (void)argv;
  int n = argc - 1; /* 0, but not for the compiler */
  atomic_int done = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      atomic_fetch_add(&done, 100);
#pragma omp for schedule(static)
    for (int i = 0; i < n + 1; i++)
      atomic_fetch_add(&done, 1);
  }
  truth("iterations", 1);
  truth("implicit_barriers", 6);
  return finish(done == 1);
}
