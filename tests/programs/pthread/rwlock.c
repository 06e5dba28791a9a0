/* A reader and a writer that wait for a writer, and a writer that waits for a reader: WAITS of each. */
#include "tests/programs/pthread/seen.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

enum { WAITS = 20 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int waiter;
static int (*take)(pthread_rwlock_t *);

static void *wait_once(void *unused)
{
  waiter = (int)syscall(SYS_gettid);
  MUST(take(&lock), 0);
  MUST(pthread_rwlock_unlock(&lock), 0);
  return unused;
}

static void let_wait(int (*mine)(pthread_rwlock_t *), int (*theirs)(pthread_rwlock_t *))
{
  for (int i = 0; i < WAITS; i++) {
    pthread_t thread;
    waiter = 0;
    take = theirs;
    MUST(mine(&lock), 0);
    MUST(pthread_create(&thread, NULL, wait_once, NULL), 0);
    seen_asleep(&waiter);
    MUST(pthread_rwlock_unlock(&lock), 0);
    MUST(pthread_join(thread, NULL), 0);
  }
}

int main(void)
{
  struct timespec past = {1, 0}, bad = {1, 1000000000};
  let_wait(pthread_rwlock_wrlock, pthread_rwlock_rdlock);
  let_wait(pthread_rwlock_wrlock, pthread_rwlock_wrlock);
  let_wait(pthread_rwlock_rdlock, pthread_rwlock_wrlock);
  MUST(pthread_rwlock_rdlock(&lock), 0);
  MUST(pthread_rwlock_tryrdlock(&lock), 0);
  MUST(pthread_rwlock_trywrlock(&lock), EBUSY);
  MUST(pthread_rwlock_timedwrlock(&lock, &past), ETIMEDOUT);
  MUST(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past), ETIMEDOUT);
  MUST(pthread_rwlock_timedrdlock(&lock, &bad), EINVAL);
  MUST(pthread_rwlock_unlock(&lock), 0);
  MUST(pthread_rwlock_unlock(&lock), 0);
  MUST(pthread_rwlock_wrlock(&lock), 0);
  MUST(pthread_rwlock_rdlock(&lock), EDEADLK);
  MUST(pthread_rwlock_wrlock(&lock), EDEADLK);
  MUST(pthread_rwlock_unlock(&lock), 0);
  MUST(pthread_rwlock_destroy(&lock), 0);
  printf("waits %d\n", 3 * WAITS);
  return 0;
}
