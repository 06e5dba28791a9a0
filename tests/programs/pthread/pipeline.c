/* A pipeline of STAGES threads with semaphores between them, one of them with a name. */
#include "tests/programs/pthread/seen.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

enum { STAGES = 3, ITEMS = 300 };

static sem_t semaphores[STAGES], *named;

static void *stage(void *number)
{
  long at = (long)number;
  for (int i = 0; i < ITEMS; i++) {
    MUST(sem_wait(&semaphores[at]), 0);
    MUST(sem_post(at + 1 < STAGES ? &semaphores[at + 1] : named), 0);
  }
  return NULL;
}

static void post_from_handler(int signal)
{
  (void)signal;
  int kept = errno;
  sem_post(named);
  errno = kept;
}

static void interrupted(int signal)
{
  (void)signal;
}

static void check_results(void)
{
  struct timespec past = {1, 0}, bad = {1, -1};
  errno = 77;
  MUST(sem_trywait(named), -1);
  MUST(errno, EAGAIN);
  MUST(sem_timedwait(named, &past), -1);
  MUST(errno, ETIMEDOUT);
  MUST(sem_clockwait(named, CLOCK_MONOTONIC, &past), -1);
  MUST(errno, ETIMEDOUT);
  MUST(sem_post(named), 0);
  MUST(sem_timedwait(named, &bad), -1); /* also where it need not wait */
  MUST(errno, EINVAL);
  errno = 77;
  MUST(sem_wait(named), 0);
  MUST(errno, 77);
  signal(SIGALRM, post_from_handler);
  ualarm(2000, 0);
  while (sem_wait(named) != 0)
    MUST(errno, EINTR);
  struct sigaction once = {.sa_handler = interrupted};
  sigaction(SIGALRM, &once, NULL);
  ualarm(2000, 0);
  MUST(sem_wait(named), -1);
  MUST(errno, EINTR);
}

int main(void)
{
  char name[64];
  pthread_t threads[STAGES];
  snprintf(name, sizeof name, "/heddle-pipeline-%d", (int)getpid());
  named = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  MUST(named == SEM_FAILED, 0);
  MUST(sem_open(name, 0) == named, 1);
  MUST(sem_unlink(name), 0);
  for (long i = 0; i < STAGES; i++) {
    MUST(sem_init(&semaphores[i], 0, 0), 0);
    MUST(pthread_create(&threads[i], NULL, stage, (void *)i), 0);
  }
  for (int i = 0; i < ITEMS; i++)
    MUST(sem_post(&semaphores[0]), 0);
  for (int i = 0; i < ITEMS; i++)
    MUST(sem_wait(named), 0);
  for (int i = 0; i < STAGES; i++)
    MUST(pthread_join(threads[i], NULL), 0);
  check_results();
  for (int i = 0; i < STAGES; i++)
    MUST(sem_destroy(&semaphores[i]), 0);
  MUST(sem_close(named), 0);
  MUST(sem_close(named), 0);
  printf("items %d, waits that got something %d\n", ITEMS, (STAGES + 1) * ITEMS + 2);
  return 0;
}
