/*
 * STEPS steps, each of two loops of two threads. In the first half both are even; from the middle on thread 1 works ten
 * times as long in the second one. Work is time asleep, so it needs no processor.
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <time.h>

enum { THREADS = 2, STEPS = 200, UNIT_NS = 300000, LONG_UNITS = 10 };

static void work(int units)
{
  struct timespec time = {0, (long)units * UNIT_NS};
  while (nanosleep(&time, &time) != 0)
    continue;
}

int main(void)
{
  for (int step = 0; step < STEPS; step++) {
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(static)
      for (int i = 0; i < THREADS; i++)
        work(1);
#pragma omp for schedule(static)
      for (int i = 0; i < THREADS; i++)
        work(i == 1 && step >= STEPS / 2 ? LONG_UNITS : 1);
    }
  }
  return 0;
}
