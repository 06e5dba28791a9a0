/*
 * A bounded queue with two conditions: 1,000 waits for items, and each thread that wakes knows who waited. The program
 * counts its waits, and its signals while somebody waited.
 */
#include "tests/programs/pthread/seen.h"

#include <pthread.h>

enum { ITEMS = 1000, CONSUMERS = 2 };

static pthread_mutex_t mutex;
static pthread_cond_t filled, emptied;
static int queue, taken, waiting, waits, signals, ended;

static void *consume(void *unused)
{
  pthread_mutex_lock(&mutex);
  for (;;) {
    while (queue == 0 && !ended) {
      waits++;
      waiting++;
      pthread_cond_wait(&filled, &mutex);
      waiting--;
    }
    if (queue == 0)
      break;
    queue--;
    taken++;
    pthread_cond_signal(&emptied);
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void)
{
  pthread_t threads[CONSUMERS];
  MUST(pthread_mutex_init(&mutex, NULL), 0);
  MUST(pthread_cond_init(&filled, NULL), 0);
  MUST(pthread_cond_init(&emptied, NULL), 0);
  for (int i = 0; i < CONSUMERS; i++)
    MUST(pthread_create(&threads[i], NULL, consume, NULL), 0);
  int idle = 0;
  for (int i = 0; i < ITEMS;) {
    pthread_mutex_lock(&mutex);
    if (waiting == CONSUMERS) { /* one of them is woken by this one signal */
      queue++;
      i++;
      signals++;
      pthread_cond_signal(&filled);
      while (queue > 0) {
        idle++;
        pthread_cond_wait(&emptied, &mutex);
      }
    }
    pthread_mutex_unlock(&mutex);
  }
  pthread_mutex_lock(&mutex);
  ended = 1;
  int broadcast = waiting > 0;
  pthread_cond_broadcast(&filled);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < CONSUMERS; i++)
    MUST(pthread_join(threads[i], NULL), 0);
  MUST(taken, ITEMS);
  MUST(pthread_cond_destroy(&filled), 0);
  MUST(pthread_cond_destroy(&emptied), 0);
  MUST(pthread_mutex_destroy(&mutex), 0);
  printf("waits %d, signals %d, broadcasts %d, idle %d\n", waits, signals, broadcast, idle);
  return 0;
}
