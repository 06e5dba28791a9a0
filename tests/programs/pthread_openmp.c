/* OpenMP's threads and a thread of the program's own share a mutex. */
#include "tests/programs/program.h"

#include <omp.h>
#include <pthread.h>

#define ROUNDS 2000

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static long refused, sum;

static void add(void)
{
  if (pthread_mutex_trylock(&shared) != 0) {
    pthread_mutex_lock(&shared);
    refused++;
  }
  sum++;
  if (sum % 50 == 0)
    sched_yield();
  pthread_mutex_unlock(&shared);
}

static void *own_thread(void *unused)
{
  (void)unused;
  for (int i = 0; i < ROUNDS; i++)
    add();
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int threads = 0;
  pthread_create(&thread, NULL, own_thread, NULL);
#pragma omp parallel reduction(+ : threads)
  {
    threads++;
#pragma omp for
    for (int i = 0; i < ROUNDS; i++)
      add();
#pragma omp barrier
    for (int i = 0; i < ROUNDS; i++)
      add();
  }
  pthread_join(thread, NULL);
  truth("refused", refused);
  truth("threads", threads);
  return finish(sum == ROUNDS * (2l + threads));
}
