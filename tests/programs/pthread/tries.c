/* Threads that try, and lock where they failed: how many tries failed, and how many acquisitions there were. */
#include "tests/programs/pthread/seen.h"

#include <pthread.h>

enum { THREADS = 3, ROUNDS = 2000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long failed, shared;

static void *work(void *unused)
{
  long mine = 0;
  for (int i = 0; i < ROUNDS; i++) {
    if (pthread_mutex_trylock(&mutex) != 0) {
      mine++;
      pthread_mutex_lock(&mutex);
    }
    for (int j = 0; j < 50; j++)
      __asm__ volatile("" : "+m"(shared));
    shared++;
    pthread_mutex_unlock(&mutex);
  }
  __atomic_fetch_add(&failed, mine, __ATOMIC_RELAXED);
  return unused;
}

int main(void)
{
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    MUST(pthread_create(&threads[i], NULL, work, NULL), 0);
  for (int i = 0; i < THREADS; i++)
    MUST(pthread_join(threads[i], NULL), 0);
  MUST(shared, THREADS * ROUNDS);
  printf("failed %ld, acquisitions %d\n", failed, THREADS * ROUNDS);
  return 0;
}
