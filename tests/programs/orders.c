/*
 * Threads that acquire locks in different orders, one after the other, so that none ever waits: orders
 * pair|gated|three|alone. Tests find lines by the marks in the comments.
 */
#include "tests/programs/program.h"

#include <omp.h>
#include <string.h>

static omp_lock_t locks[3], gate;
static atomic_int turn;

static void wait_for(int number)
{
  while (atomic_load(&turn) < number)
    sched_yield();
}

static void both(int first, int second)
{
  omp_set_lock(&locks[first]);  /* mark: first */
  omp_set_lock(&locks[second]); /* mark: second */
  omp_unset_lock(&locks[second]);
  omp_unset_lock(&locks[first]);
}

/* Threads hold lock k and acquire k + 1, in turn. */
static void ring(int threads, bool gated)
{
#pragma omp parallel num_threads(threads)
  {
    int me = omp_get_thread_num();
    wait_for(me);
    if (gated)
      omp_set_lock(&gate); /* mark: gate */
    both(me, (me + 1) % threads);
    if (gated)
      omp_unset_lock(&gate);
    atomic_fetch_add(&turn, 1);
  }
}

int main(int count, char **arguments)
{
  const char *how = count == 2 ? arguments[1] : "";
  for (int i = 0; i < 3; i++)
    omp_init_lock(&locks[i]); /* mark: init */
  omp_init_lock(&gate);       /* mark: init gate */
  if (strcmp(how, "pair") == 0)
    ring(2, false);
  else if (strcmp(how, "gated") == 0)
    ring(2, true);
  else if (strcmp(how, "three") == 0)
    ring(3, false);
  else {
    both(0, 1);
    both(1, 0);
  }
  return finish(true);
}
