/*
 * Does the same in each round until stdin ends. Two threads work for 4 and 12 ms and wait for each other at a barrier.
 * Each is in a critical section for 4 ms, one after the other. So a round takes 20 ms; one thread waits 8 ms at the
 * barrier, and one 4 ms for the critical section. Work is time asleep, as in known_imbalance.c. truth:
 * rounds=<rounds>
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <poll.h>
#include <time.h>

enum { MS = 1000000 };

static void work(long ns)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += ns;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
    continue;
}

static bool goes_on(void)
{
  struct pollfd input = {.fd = 0, .events = POLLIN};
  return poll(&input, 1, 0) == 0;
}

int main(void)
{
  long rounds = 0;
  for (; goes_on(); rounds++) {
#pragma omp parallel num_threads(2)
    {
      work(omp_get_thread_num() == 0 ? 4 * MS : 12 * MS);
#pragma omp barrier
#pragma omp critical
      work(4 * MS);
    }
  }
  truth("rounds", rounds);
  return 0;
}
