/*
 * Threads that create and join each other, one after the other; each but the last one sleeps before and after. Until
 * the last one ends, short threads begin and end beside them. The critical path is known.
 */
#include "tests/programs/pthread/seen.h"

#include <pthread.h>
#include <time.h>

enum { LINKS = 3 };

static _Atomic int over;

static void nap(long ms)
{
  nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

static void *be_short(void *nothing)
{
  return nothing;
}

static void *make_short_ones(void *nothing)
{
  while (!over) {
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, be_short, NULL), 0);
    MUST(pthread_join(thread, NULL), 0);
    nap(1);
  }
  return nothing;
}

static void *link_at(void *number)
{
  long at = (long)number;
  pthread_t next;
  nap(40);
  if (at == LINKS)
    return NULL;
  MUST(pthread_create(&next, NULL, link_at, (void *)(at + 1)), 0);
  MUST(pthread_join(next, NULL), 0);
  over = 1;
  nap(20);
  return NULL;
}

int main(void)
{
  pthread_t first, maker;
  MUST(pthread_create(&maker, NULL, make_short_ones, NULL), 0);
  MUST(pthread_create(&first, NULL, link_at, (void *)1), 0);
  MUST(pthread_join(first, NULL), 0);
  MUST(pthread_join(maker, NULL), 0);
  return 0;
}
