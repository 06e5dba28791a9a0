/* Spinlocks, barriers, joins: THREADS threads meet ROUNDS times, and each adds under a spinlock. */
#include "tests/programs/pthread/seen.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

enum { THREADS = 3, ROUNDS = 40 };

static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static int sum, serial;

static void *meet(void *unused)
{
  for (int i = 0; i < ROUNDS; i++) {
    int result = pthread_barrier_wait(&barrier);
    MUST(pthread_spin_lock(&spin), 0);
    sum++;
    serial += result == PTHREAD_BARRIER_SERIAL_THREAD;
    MUST(pthread_spin_unlock(&spin), 0);
  }
  return unused;
}

static void *sleep_some(void *unused)
{
  usleep(30000);
  return unused;
}

int main(void)
{
  pthread_t threads[THREADS], slow;
  struct timespec past = {1, 0};
  MUST(pthread_barrier_init(&barrier, NULL, THREADS), 0);
  MUST(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE), 0);
  for (int i = 0; i < THREADS; i++)
    MUST(pthread_create(&threads[i], NULL, meet, NULL), 0);
  for (int i = 0; i < THREADS; i++)
    MUST(pthread_join(threads[i], NULL), 0);
  MUST(pthread_create(&slow, NULL, sleep_some, NULL), 0);
  MUST(pthread_timedjoin_np(slow, NULL, &past), ETIMEDOUT);
  MUST(pthread_clockjoin_np(slow, NULL, CLOCK_MONOTONIC, &past), ETIMEDOUT);
  MUST(pthread_join(slow, NULL), 0);
  MUST(pthread_join(pthread_self(), NULL), EDEADLK);
  MUST(sum, THREADS * ROUNDS);
  MUST(serial, ROUNDS);
  MUST(pthread_spin_destroy(&spin), 0);
  MUST(pthread_barrier_destroy(&barrier), 0);
  printf("meetings %d, acquisitions %d\n", ROUNDS, THREADS * ROUNDS);
  return 0;
}
