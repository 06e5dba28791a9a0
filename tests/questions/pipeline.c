// question: I have a thread for reading and one for writing; which one is slow?
// answer: serial,imbalance; reading
// compilers: gcc
// The reading thread needs four times as long for an item as the writing thread, which waits for it at a condition.
#include "tests/questions/work.h"
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;
static void *reading(void *unused)
{
  for (int i = 0; i < 120; i++) {
    work_ms(8);
    pthread_mutex_lock(&mutex);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}
static void *writing(void *unused)
{
  for (int i = 0; i < 120; i++) {
    pthread_mutex_lock(&mutex);
    while (items == 0)
      pthread_cond_wait(&filled, &mutex);
    items--;
    pthread_mutex_unlock(&mutex);
    work_ms(2);
  }
  return unused;
}
int main(void)
{
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, reading, NULL);
  pthread_create(&threads[1], NULL, writing, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  puts("done");
}
