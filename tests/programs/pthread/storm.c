/* Threads that lock and unlock one mutex for a while as fast as they can: more waits and wakes than a budget allows. */
#include "tests/programs/pthread/seen.h"

#include <pthread.h>
#include <time.h>

enum { THREADS = 4, SECONDS = 1 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long shared;
static volatile int over;

static void *work(void *acquisitions)
{
  long mine = 0;
  for (; !over; mine++) {
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
  }
  *(long *)acquisitions = mine;
  return NULL;
}

int main(void)
{
  pthread_t threads[THREADS];
  long acquisitions[THREADS], sum = 0;
  for (int i = 0; i < THREADS; i++)
    MUST(pthread_create(&threads[i], NULL, work, &acquisitions[i]), 0);
  sleep(SECONDS);
  over = 1;
  for (int i = 0; i < THREADS; i++) {
    MUST(pthread_join(threads[i], NULL), 0);
    sum += acquisitions[i];
  }
  MUST(shared, sum);
  printf("%ld\n", sum);
  return 0;
}
