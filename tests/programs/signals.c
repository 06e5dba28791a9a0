/*
 * A storm of signals. Four threads execute loops, a fifth one sends each of them signal after signal, and the handler
 * tests and unsets a lock. So handlers interrupt the tool, too. ./signals [rounds] A handler's three events (request,
 * acquisition, release) are recorded, or skipped together because the handler interrupted the recording of another
 * event. Each thread has a lock of its own, and sets no other. A handler that interrupts omp_set_lock would break the
 * runtime, with a tool or without.
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { THREADS = 4 };

static omp_lock_t locks[THREADS];
static atomic_long handled;
static atomic_int ready, finished;
static pthread_t threads[THREADS];
static _Thread_local int me = -1;

static void handler(int signal)
{
  (void)signal;
  if (me < 0 || !omp_test_lock(&locks[me]))
    return;
  omp_unset_lock(&locks[me]);
  atomic_fetch_add(&handled, 1);
}

static void *storm(void *unused)
{
  (void)unused;
  while (ready < THREADS)
    sched_yield();
  while (finished < THREADS) {
    for (int t = 0; t < THREADS; t++)
      pthread_kill(threads[t], SIGUSR1);
    sched_yield();
  }
  return NULL;
}

int main(int argc, char **argv)
{
  int rounds = argc > 1 ? atoi(argv[1]) : 50000;
  atomic_long sum = 0;
  pthread_t sender;
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  for (int t = 0; t < THREADS; t++)
    omp_init_lock(&locks[t]);
  pthread_create(&sender, NULL, storm, NULL);

#pragma omp parallel num_threads(THREADS)
  {
    int mine = omp_get_thread_num();
    threads[mine] = pthread_self();
    me = mine;
    atomic_fetch_add(&ready, 1);
    for (int i = 0; i < rounds; i++) {
#pragma omp for schedule(static) nowait
      for (int k = 0; k < THREADS; k++)
        atomic_fetch_add(&sum, 1);
    }
    me = -1;
    atomic_fetch_add(&finished, 1);
  }
  pthread_join(sender, NULL);
  for (int t = 0; t < THREADS; t++)
    omp_destroy_lock(&locks[t]);
  truth("parallel", 1);
  truth("loops", (long)THREADS * rounds);
  truth("iterations", (long)THREADS * rounds);
  truth("locks_and_skipped", handled);
  return finish(sum == (long)THREADS * rounds);
}
