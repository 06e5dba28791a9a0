/*
 * Threads that share mutexes. The program tries each mutex first, so it knows how many acquisitions have to wait. It
 * calls pthread_mutex_lock only then, and even then it may not wait.
 */
#include "tests/programs/program.h"

#include <pthread.h>
#include <stdlib.h>

#define THREADS 4
#define ROUNDS  4000
#define HOLDS   19 /* one of so many acquisitions is held while others run; prime, so that each mutex has its turn */

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  int unused;
  pthread_mutex_t lock;
} pool[2];
static pthread_mutex_t *forks;
static long refused[THREADS], sum;

static void *work(void *argument)
{
  long number = (long)argument;
  for (int i = 0; i < ROUNDS; i++) {
    if (pthread_mutex_trylock(&queue_lock) != 0) {
      refused[number]++;
      pthread_mutex_lock(&queue_lock);
    }
    for (int k = 0; k < 20; k++)
      *(volatile long *)&sum += 1;
    if (i % HOLDS == 0)
      sched_yield();
    pthread_mutex_unlock(&queue_lock);
    pthread_mutex_lock(&pool[i % 2].lock);
    if (i % HOLDS == 0)
      sched_yield();
    pthread_mutex_unlock(&pool[i % 2].lock);
    pthread_mutex_lock(&forks[i % 3]);
    if (i % HOLDS == 0)
      sched_yield();
    pthread_mutex_unlock(&forks[i % 3]);
  }
  return NULL;
}

int main(void)
{
  pthread_t threads[THREADS];
  long all = 0;
  forks = malloc(3 * sizeof *forks);
  for (int i = 0; i < 3; i++)
    pthread_mutex_init(&forks[i], NULL);
  for (int i = 0; i < 2; i++)
    pthread_mutex_init(&pool[i].lock, NULL);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++)
    all += refused[i];
  truth("refused", all);
  truth("pool", THREADS * ROUNDS);
  truth("forks", THREADS * ROUNDS);
  for (int i = 0; i < 3; i++)
    pthread_mutex_destroy(&forks[i]);
  free(forks);
  return finish(sum == 20l * THREADS * ROUNDS);
}
