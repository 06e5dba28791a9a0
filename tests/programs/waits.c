/*
 * Waits that are known. In each repeat thread 0 gets a critical section, and then a lock, and lets thread 1 ask for it.
 * It keeps it for a while, asleep. So thread 1 waits once a repeat and thread 0 never. How long that was the program
 * measures itself: measured: <critical|lock> repeat=<n> thread=<t> ns=<from asking to getting it>, and kept: likewise
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <time.h>

enum { REPEATS = 9, KEPT_NS = 10000000 };

static struct {
  long wait[2], kept[2]; /* by thread, ns */
} measured[2][REPEATS];

static long now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000l + time.tv_nsec;
}

/* What a thread does that has got it, having asked at that time. */
static void have(int what, int repeat, long asked, atomic_int *gate)
{
  int me = omp_get_thread_num();
  long got = now(), end = got + KEPT_NS;
  struct timespec until = {end / 1000000000, end % 1000000000};
  measured[what][repeat].wait[me] = got - asked;
  if (me == 0) {
    release(gate);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
      continue;
  }
  measured[what][repeat].kept[me] = now() - got;
}

int main(void)
{
  static atomic_int gates[2][REPEATS], met[2][REPEATS];
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    if (omp_get_thread_num() == 1)
      hold(&gates[0][repeat]);
    long asked = now();
#pragma omp critical(known)
    have(0, repeat, asked, &gates[0][repeat]);
    meet(&met[0][repeat], 2);
    if (omp_get_thread_num() == 1)
      hold(&gates[1][repeat]);
    asked = now();
    omp_set_lock(&lock);
    have(1, repeat, asked, &gates[1][repeat]);
    omp_unset_lock(&lock);
    meet(&met[1][repeat], 2);
  }
  omp_destroy_lock(&lock);

  for (int what = 0; what < 2; what++)
    for (int repeat = 0; repeat < REPEATS; repeat++)
      for (int t = 0; t < 2; t++) {
        const char *name = what == 0 ? "critical" : "lock";
        printf("measured: %s repeat=%d thread=%d ns=%ld\n", name, repeat, t, measured[what][repeat].wait[t]);
        printf("kept: %s repeat=%d thread=%d ns=%ld\n", name, repeat, t, measured[what][repeat].kept[t]);
      }
  truth("parallel", 1);
  truth("members", 2);
  truth("criticals", 2 * REPEATS);
  truth("locks", 2 * REPEATS);
  return finish(true);
}
