/* C11 threads: a mutex and a condition that others wait for, each wait one that the program knows of. */
#include "tests/programs/pthread/seen.h"

#include <sys/syscall.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t condition;
static volatile int waiter;
static int ready;

static int wait_for_both(void *unused)
{
  (void)unused;
  waiter = (int)syscall(SYS_gettid);
  MUST(mtx_lock(&mutex), thrd_success);
  while (!ready)
    MUST(cnd_wait(&condition, &mutex), thrd_success);
  MUST(mtx_unlock(&mutex), thrd_success);
  return 7;
}

int main(void)
{
  thrd_t thread;
  int value;
  struct timespec past = {1, 0};
  MUST(mtx_init(&mutex, mtx_timed), thrd_success);
  MUST(cnd_init(&condition), thrd_success);
  MUST(mtx_lock(&mutex), thrd_success);
  MUST(thrd_create(&thread, wait_for_both, NULL), thrd_success);
  seen_asleep(&waiter);
  MUST(mtx_trylock(&mutex), thrd_busy);
  MUST(mtx_timedlock(&mutex, &past), thrd_timedout);
  MUST(mtx_unlock(&mutex), thrd_success);
  usleep(10000);
  seen_asleep(&waiter); /* in the condition now */
  MUST(mtx_lock(&mutex), thrd_success);
  ready = 1;
  MUST(cnd_signal(&condition), thrd_success);
  MUST(cnd_timedwait(&condition, &mutex, &past), thrd_timedout);
  MUST(cnd_broadcast(&condition), thrd_success);
  MUST(mtx_unlock(&mutex), thrd_success);
  MUST(thrd_join(thread, &value), thrd_success);
  MUST(value, 7);
  cnd_destroy(&condition);
  mtx_destroy(&mutex);
  puts("done");
  return 0;
}
