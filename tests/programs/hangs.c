/*
 * Programs that hang, each in its own way: hangs locks|criticals|self|three|barrier|ended. A thread says "stuck" before
 * the call that never returns. Tests find lines by the marks in the comments.
 */
#include "tests/programs/program.h"

#include <omp.h>
#include <pthread.h>
#include <string.h>

static omp_lock_t forks[3];
static atomic_int met;

static void locks(int threads)
{
#pragma omp parallel num_threads(threads)
  {
    int me = omp_get_thread_num(), next = (me + 1) % threads;
    omp_set_lock(&forks[me]); /* mark: first fork */
    meet(&met, threads);
    stuck();
    omp_set_lock(&forks[next]); /* mark: second fork */
    omp_unset_lock(&forks[next]);
    omp_unset_lock(&forks[me]);
  }
}

static void in_critical(void)
{
#pragma omp critical(table) /* mark: critical */
  {
    meet(&met, 2);
    stuck();
    omp_set_lock(&forks[0]); /* mark: lock in critical */
    omp_unset_lock(&forks[0]);
  }
}

static void in_lock(void)
{
  omp_set_lock(&forks[0]); /* mark: lock */
  meet(&met, 2);
  stuck();
#pragma omp critical(table) /* mark: critical in lock */
  omp_get_wtime();
  omp_unset_lock(&forks[0]);
}

static void criticals(void)
{
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0)
      in_critical();
    else
      in_lock();
  }
}

static void self(void)
{
  omp_set_lock(&forks[0]); /* mark: once */
  stuck();
  omp_set_lock(&forks[0]); /* mark: twice */
  omp_unset_lock(&forks[0]);
  printf("twice\n");
}

/* One thread waits at a barrier for another one, which waits for a lock of the first one's. */
static void barrier(void)
{
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() == 0)
      omp_set_lock(&forks[0]); /* mark: before the barrier */
    meet(&met, 3);
    stuck();
    if (omp_get_thread_num() == 1)
      omp_set_lock(&forks[0]); /* mark: instead of the barrier */
#pragma omp barrier            /* mark: the barrier */
    printf("past\n");
  }
}

static void *take(void *unused)
{
  omp_set_lock(&forks[0]); /* mark: before its end */
  return unused;
}

static void ended(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, take, NULL);
  pthread_join(thread, NULL);
  stuck();
  omp_set_lock(&forks[0]); /* mark: for ever */
  omp_unset_lock(&forks[0]);
  printf("ever\n");
}

int main(int count, char **arguments)
{
  const char *how = count == 2 ? arguments[1] : "";
  for (int i = 0; i < 3; i++)
    omp_init_lock(&forks[i]); /* mark: init */
  if (strcmp(how, "locks") == 0)
    locks(2);
  else if (strcmp(how, "three") == 0)
    locks(3);
  else if (strcmp(how, "criticals") == 0)
    criticals();
  else if (strcmp(how, "self") == 0)
    self();
  else if (strcmp(how, "barrier") == 0)
    barrier();
  else if (strcmp(how, "ended") == 0)
    ended();
  return 1;
}
