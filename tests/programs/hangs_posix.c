/*
 * Programs that hang in calls of POSIX threads, each in its own way: hangs_posix mutexes|three|self|join|rwlocks|mixed|
 * ended|handed|lost|late|hungry. Each thread that hangs says "stuck" before. Tests find lines by the marks in the
 * comments; no function ends with its wait, or gcc leaves the function before.
 */
#include "tests/programs/program.h"

#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FORKS = 3 };

static pthread_mutex_t forks[FORKS];
static pthread_rwlock_t plates[2];
static pthread_cond_t fed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t door;
static sem_t meals;
static atomic_int met, got, away;
static int threads;

static void nap(long ms)
{
  nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void *dine(void *seat)
{
  pthread_mutex_t *first = seat, *second = &forks[(first - forks + 1) % threads];
  pthread_mutex_lock(first);
  meet(&met, threads);
  stuck();
  pthread_mutex_lock(second); /* mark: second fork */
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
  return NULL;
}

/* The main thread waits for the first one of the others. */
static void table(int seats)
{
  pthread_t thread[FORKS];
  threads = seats;
  for (int i = 0; i < seats; i++)
    pthread_create(&thread[i], NULL, dine, &forks[i]);
  pthread_join(thread[0], NULL); /* mark: join a diner */
}

static void self(void)
{
  pthread_mutex_lock(&forks[0]);
  stuck();
  pthread_mutex_lock(&forks[0]); /* mark: twice */
  printf("twice\n");
}

static void *take_first(void *unused)
{
  atomic_store(&met, 1);
  stuck();
  pthread_mutex_lock(&forks[0]); /* mark: the joiner's */
  pthread_mutex_unlock(&forks[0]);
  return unused;
}

/* Waits for a thread that wants what the waiting one has. */
static void join(void)
{
  pthread_t thread;
  pthread_mutex_lock(&forks[0]);
  pthread_create(&thread, NULL, take_first, NULL);
  hold(&met);
  stuck();
  pthread_join(thread, NULL); /* mark: join */
}

static void *write_both(void *first)
{
  pthread_rwlock_t *one = first, *other = &plates[one == plates];
  pthread_rwlock_wrlock(one);
  meet(&met, 2);
  stuck();
  if (one == plates)
    pthread_rwlock_wrlock(other); /* mark: write */
  else
    pthread_rwlock_rdlock(other); /* mark: read */
  return NULL;
}

static void rwlocks(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, write_both, &plates[i]);
  pthread_join(thread[0], NULL);
}

static void with_mutex(void)
{
  pthread_mutex_lock(&forks[0]);
  meet(&met, 2);
  stuck();
#pragma omp critical(table) /* mark: critical in mutex */
  omp_get_wtime();
  pthread_mutex_unlock(&forks[0]);
}

static void with_critical(void)
{
#pragma omp critical(table) /* mark: critical */
  {
    meet(&met, 2);
    stuck();
    pthread_mutex_lock(&forks[0]); /* mark: mutex in critical */
    pthread_mutex_unlock(&forks[0]);
  }
}

static void mixed(void)
{
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0)
      with_critical();
    else
      with_mutex();
  }
}

static void *keep(void *unused)
{
  pthread_mutex_lock(&forks[0]);
  hold(&met);
  nap(100);
  return unused;
}

/* A thread waits for a mutex, and its owner ends with it. */
static void ended(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, keep, NULL);
  nap(50);
  stuck();
  release(&met);
  pthread_mutex_lock(&forks[0]); /* mark: for ever */
  printf("ever\n");
}

static void *want(void *unused)
{
  pthread_mutex_lock(&forks[1]);
  release(&met);
  pthread_mutex_lock(&forks[0]);
  return unused;
}

static void *grab(void *unused)
{
  while (pthread_mutex_trylock(&forks[0]) != 0)
    ;
  release(&got);
  pause();
  return unused;
}

/* The thread that waits stays here, out of its wait, until the third one has the mutex. */
static void stay_away(int number)
{
  (void)number;
  release(&away);
  while (!atomic_load(&got))
    nap(1);
}

/* The mutex that a thread waits for went from its first owner to a third thread, which can go on. */
static void handed(void)
{
  pthread_t waits, grabs;
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = stay_away}, NULL);
  pthread_mutex_lock(&forks[0]);
  pthread_create(&waits, NULL, want, NULL);
  hold(&met);
  nap(50);
  pthread_kill(waits, SIGUSR1);
  hold(&away);
  pthread_create(&grabs, NULL, grab, NULL);
  pthread_mutex_unlock(&forks[0]);
  hold(&got);
  nap(10);
  stuck();
  pthread_mutex_lock(&forks[1]); /* mark: behind */
  pthread_mutex_unlock(&forks[1]);
}

/* Nobody will signal, but that cannot be known. */
static void lost(void)
{
  pthread_mutex_lock(&forks[0]);
  stuck();
  pthread_cond_wait(&fed, &forks[0]); /* mark: no signal */
  pthread_mutex_unlock(&forks[0]);
}

static void late(void)
{
  pthread_barrier_init(&door, NULL, 2);
  stuck();
  pthread_barrier_wait(&door); /* mark: alone */
  pthread_barrier_destroy(&door);
}

static void hungry(void)
{
  sem_init(&meals, 0, 0);
  stuck();
  sem_wait(&meals); /* mark: no meal */
  sem_destroy(&meals);
}

int main(int count, char **arguments)
{
  static const struct {
    const char *name;
    void (*way)(void);
  } ways[] = {{"self", self},     {"join", join}, {"rwlocks", rwlocks}, {"mixed", mixed},  {"ended", ended},
              {"handed", handed}, {"lost", lost}, {"late", late},       {"hungry", hungry}};
  const char *how = count == 2 ? arguments[1] : "";
  for (int i = 0; i < FORKS; i++)
    pthread_mutex_init(&forks[i], NULL); /* mark: init */
  for (int i = 0; i < 2; i++)
    pthread_rwlock_init(&plates[i], NULL); /* mark: init plates */
  if (strcmp(how, "mutexes") == 0 || strcmp(how, "three") == 0)
    table(how[0] == 'm' ? 2 : 3);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (strcmp(how, ways[i].name) == 0)
      ways[i].way();
  return 1;
}
