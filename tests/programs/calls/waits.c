/*
 * waits: functions wait at a barrier of OpenMP, for a critical section and for a semaphore, while another thread
 * sleeps. One thread executes tasks while it waits.
 */
#include "tests/programs/calls/own_count.h"

#include <omp.h>
#include <semaphore.h>
#include <time.h>

static sem_t begun, done;

PLAIN static void sleep_ms(long ms)
{
  nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

__attribute__((noinline)) static void f_s(void)
{
  sleep_ms(30);
}

__attribute__((noinline)) static void f_t(void)
{
  sleep_ms(10);
}

__attribute__((noinline)) static void *f_p(void *unused)
{
  sem_wait(&begun);
  f_s();
  sem_post(&done);
  return unused;
}

/* Waits for a semaphore. */
__attribute__((noinline)) static void f_w(void)
{
  sem_post(&begun);
  sem_wait(&done);
}

/* Waits at a barrier. */
__attribute__((noinline)) static void f_b(void)
{
  if (omp_get_thread_num() == 1)
    f_s();
#pragma omp barrier
}

/* Executes tasks while it waits for them. */
__attribute__((noinline)) static void f_k(void)
{
  for (int i = 0; i < 3; i++) {
#pragma omp task
    f_t();
  }
#pragma omp taskwait
}

int main(void)
{
  pthread_t other;
  sem_init(&begun, 0, 0);
  sem_init(&done, 0, 0);
  pthread_create(&other, NULL, f_p, NULL);
  f_w();
  pthread_join(other, NULL);
#pragma omp parallel num_threads(2)
  {
    f_b();
  }
#pragma omp parallel num_threads(1)
  {
    f_k();
  }
  return 0;
}
