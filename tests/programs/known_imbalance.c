/*
 * An imbalance that is known: thread t of four works (t + 1) units. A unit is time asleep, measured from the moment at
 * which the thread began. So it takes as long on a machine whose processors are busy, and four threads need no four of
 * them. Busy are 1, 2, 3 and 4 units: mean 2.5, so 1.5 of 4 units are lost, imbalance 1.5/4 * 4/3 = 50 %. Where the
 * machine wakes threads up late, the program's own measurement is the truth: measured: <construct> repeat=<n>
 * thread=<t> ns=<time worked>
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <time.h>

enum { THREADS = 4, REPEATS = 3, UNIT_NS = 25000000 };

/* What each thread measured, in ns; every thread has its own. */
static long measured[2][REPEATS][THREADS];

static long now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000l + time.tv_nsec;
}

/* Sleeps so many units; returns how long that was in ns. */
static long work(int units)
{
  long start = now(), end = start + (long)units * UNIT_NS;
  struct timespec until = {end / 1000000000, end % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
    continue;
  return now() - start;
}

static void in_region(int repeat)
{
#pragma omp parallel num_threads(THREADS)
  {
    int me = omp_get_thread_num();
    measured[0][repeat][me] = work(me + 1);
  }
}

static void in_loop(int repeat)
{
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < THREADS; i++)
      measured[1][repeat][omp_get_thread_num()] = work(i + 1);
  }
}

int main(void)
{
  for (int repeat = 0; repeat < REPEATS; repeat++)
    in_region(repeat);
  for (int repeat = 0; repeat < REPEATS; repeat++)
    in_loop(repeat);

  bool right = true;
  for (int repeat = 0; repeat < REPEATS; repeat++)
    for (int t = 0; t < THREADS; t++) {
      printf("measured: region repeat=%d thread=%d ns=%ld\n", repeat, t, measured[0][repeat][t]);
      printf("measured: loop repeat=%d thread=%d ns=%ld\n", repeat, t, measured[1][repeat][t]);
      right = right && measured[0][repeat][t] >= (t + 1l) * UNIT_NS && measured[1][repeat][t] >= (t + 1l) * UNIT_NS;
    }
  truth("parallel", 2 * REPEATS);
  truth("members", 2 * REPEATS * THREADS);
  truth("loops", REPEATS * THREADS);
  truth("iterations", REPEATS * THREADS);
  return finish(right);
}
