// question: only one of my threads runs at a time
// answer: synchronization; semaphore|licen[cs]e
// compilers: gcc
// A semaphore with one permit is held for the whole item.
#include "tests/questions/work.h"
#include <pthread.h>
#include <semaphore.h>
static sem_t permits;
static void *worker(void *unused)
{
  for (int i = 0; i < 150; i++) {
    sem_wait(&permits);
    work_ms(4);
    sem_post(&permits);
  }
  return unused;
}
int main(void)
{
  pthread_t threads[2];
#ifdef MENDED
  sem_init(&permits, 0, 2);
#else
  sem_init(&permits, 0, 1);
#endif
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  puts("done");
}
