/* Threads that are cancelled while they wait: handlers run, with the mutex of a condition had. */
#include "tests/programs/pthread/seen.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore, available;
static volatile int waiter;
static int handled;
static pthread_t other;

static void clean_up(void *unlocks)
{
  handled++;
  if (unlocks)
    MUST(pthread_mutex_unlock(&mutex), 0);
}

static void *in_condition(void *unused)
{
  MUST(pthread_mutex_lock(&mutex), 0);
  pthread_cleanup_push(clean_up, &mutex);
  waiter = (int)syscall(SYS_gettid);
  for (;;)
    pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
  return unused;
}

static void *in_semaphore(void *unused)
{
  pthread_cleanup_push(clean_up, NULL);
  waiter = (int)syscall(SYS_gettid);
  sem_wait(&semaphore);
  pthread_cleanup_pop(0);
  return unused;
}

static void *in_join(void *unused)
{
  pthread_cleanup_push(clean_up, NULL);
  waiter = (int)syscall(SYS_gettid);
  pthread_join(other, NULL);
  pthread_cleanup_pop(0);
  return unused;
}

/* Cancelled before it comes to sem_wait, which need not wait. */
static void *before_semaphore(void *unused)
{
  pthread_cleanup_push(clean_up, NULL);
  MUST(pthread_cancel(pthread_self()), 0);
  sem_wait(&available);
  handled += 1000;
  pthread_cleanup_pop(0);
  return unused;
}

static void *sleep_long(void *unused)
{
  for (;;)
    pause();
  return unused;
}

static void cancel_in(void *(*function)(void *), int waits)
{
  pthread_t thread;
  void *value;
  waiter = 0;
  MUST(pthread_create(&thread, NULL, function, NULL), 0);
  if (waits) {
    seen_asleep(&waiter);
    MUST(pthread_cancel(thread), 0);
  }
  MUST(pthread_join(thread, &value), 0);
  MUST(value == PTHREAD_CANCELED, 1);
}

int main(void)
{
  MUST(sem_init(&semaphore, 0, 0), 0);
  MUST(sem_init(&available, 0, 1), 0);
  MUST(pthread_create(&other, NULL, sleep_long, NULL), 0);
  cancel_in(in_condition, 1);
  MUST(pthread_mutex_trylock(&mutex), 0);
  MUST(pthread_mutex_unlock(&mutex), 0);
  cancel_in(in_semaphore, 1);
  cancel_in(in_join, 1);
  cancel_in(before_semaphore, 0);
  MUST(sem_trywait(&available), 0);
  MUST(pthread_cancel(other), 0);
  MUST(pthread_join(other, NULL), 0);
  printf("handled %d\n", handled);
  return 0;
}
