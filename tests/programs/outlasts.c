/*
 * A region that goes on for long after recording has reached its limit. Known imbalance comes first, then so many
 * critical sections that no limit or window is large enough, then a long time. measured: all=<ns> long=<ns>, of the
 * region, and of the time at its end.
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <time.h>

enum { LOOPS = 10, CRITICALS = 20000, UNIT_NS = 4000000, LONG_NS = 600000000 };

static long now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000l + time.tv_nsec;
}

static void sleep_until(long end)
{
  struct timespec until = {end / 1000000000, end % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
    continue;
}

int main(void)
{
  long sum = 0, all = now(), later = 0;
#pragma omp parallel num_threads(2)
  {
    for (int k = 0; k < LOOPS; k++) {
#pragma omp for schedule(static, 1)
      for (int i = 0; i < 2; i++)
        sleep_until(now() + (i == 0 ? 3 : 1) * UNIT_NS);
    }
    for (int k = 0; k < CRITICALS; k++) {
#pragma omp critical
      sum++;
    }
#pragma omp barrier
#pragma omp masked
    later = now();
    sleep_until(now() + LONG_NS);
  }
  long end = now();
  printf("measured: all=%ld long=%ld\n", end - all, end - later);
  return finish(sum == 2l * CRITICALS);
}
