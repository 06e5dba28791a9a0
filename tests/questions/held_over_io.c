// question: my threads write a log; they wait for its mutex, but its holder does nothing
// answer: blocked,synchronization; log_mutex
// compilers: gcc
// The thread that holds the mutex sleeps, as if it wrote to a slow disk.
#include "tests/questions/work.h"
#include <pthread.h>
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *unused)
{
  for (int i = 0; i < 60; i++) {
    work_ms(1);
    pthread_mutex_lock(&log_mutex);
    sleep_ms(8);
    pthread_mutex_unlock(&log_mutex);
  }
  return unused;
}
int main(void)
{
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  puts("done");
}
