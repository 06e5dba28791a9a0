/* One thread, locks that it gets at once: nothing to record. */
#include "tests/programs/pthread/seen.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

int main(void)
{
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_spinlock_t spin;
  sem_t semaphore;
  MUST(sem_init(&semaphore, 0, 1), 0);
  MUST(pthread_spin_init(&spin, 0), 0);
  for (int i = 0; i < 1000; i++) {
    MUST(pthread_mutex_lock(&mutex), 0);
    MUST(pthread_mutex_trylock(&mutex), EBUSY);
    MUST(pthread_mutex_unlock(&mutex), 0);
    MUST(pthread_spin_lock(&spin), 0);
    MUST(pthread_spin_unlock(&spin), 0);
    MUST(sem_wait(&semaphore), 0);
    MUST(sem_post(&semaphore), 0);
  }
  puts("done");
  return 0;
}
