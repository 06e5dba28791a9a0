/*
 * An imbalance that is known: thread t of four works (t + 1) units. A unit is time asleep, measured from the moment at
 * which the thread began: it takes as long on a machine whose processors are busy, and four threads need no four of
 * them. Busy are 1, 2, 3 and 4 units: mean 2.5, so 1.5 of 4 units are lost, imbalance 1.5/4 * 4/3 = 50 %.
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 4, UNIT_NS = 25000000 };

static void work(int units)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  long ns = until.tv_nsec + (long)units * UNIT_NS;
  until.tv_sec += ns / 1000000000;
  until.tv_nsec = ns % 1000000000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
    continue;
}

int main(void)
{
  atomic_int units = 0;
  for (int repeat = 0; repeat < 3; repeat++) {
#pragma omp parallel num_threads(THREADS)
    {
      int mine = omp_get_thread_num() + 1;
      work(mine);
      atomic_fetch_add(&units, mine);
    }
  }
  for (int repeat = 0; repeat < 3; repeat++) {
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(static)
      for (int i = 0; i < THREADS; i++) {
        work(i + 1);
        atomic_fetch_add(&units, i + 1);
      }
    }
  }
  truth("parallel", 6);
  truth("members", 6 * THREADS);
  truth("loops", 3 * THREADS);
  truth("iterations", 3 * THREADS);
  return finish(units == 60);
}
