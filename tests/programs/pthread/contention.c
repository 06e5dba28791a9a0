/* ROUNDS acquisitions of a mutex that wait, and ten times as many that do not; the program knows that. */
#include "tests/programs/pthread/seen.h"

#include <pthread.h>
#include <sys/syscall.h>

enum { ROUNDS = 50, FREE = 10 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static volatile int waiter;

static void *wait_often(void *unused)
{
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    pthread_barrier_wait(&barrier); /* main has the mutex */
    waiter = (int)syscall(SYS_gettid);
    pthread_mutex_lock(&mutex);
    waiter = 0;
    pthread_mutex_unlock(&mutex);
    for (int j = 0; j < FREE; j++) {
      pthread_mutex_lock(&mutex);
      pthread_mutex_unlock(&mutex);
    }
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread;
  MUST(pthread_barrier_init(&barrier, NULL, 2), 0);
  MUST(pthread_create(&thread, NULL, wait_often, NULL), 0);
  for (int i = 0; i < ROUNDS; i++) {
    MUST(pthread_mutex_lock(&mutex), 0);
    pthread_barrier_wait(&barrier);
    seen_asleep(&waiter);
    MUST(pthread_mutex_unlock(&mutex), 0);
    pthread_barrier_wait(&barrier);
  }
  MUST(pthread_join(thread, NULL), 0);
  MUST(pthread_barrier_destroy(&barrier), 0);
  printf("contended %d, uncontended %d\n", ROUNDS, ROUNDS * FREE + ROUNDS);
  return 0;
}
