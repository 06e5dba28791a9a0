/* Every kind of mutex: what its functions return, with another thread that has it and without. */
#include "tests/programs/pthread/seen.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

struct kind {
  const char *name;
  int type, protocol, robust, shared;
};

static const struct kind kinds[] = {
    {"normal", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, 0, 0},
    {"recursive", PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, 0, 0},
    {"errorcheck", PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, 0, 0},
    {"adaptive", PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PRIO_NONE, 0, 0},
    {"robust", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, 1, 0},
    {"robust errorcheck", PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, 1, 0},
    {"inherit", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, 0, 0},
    {"inherit recursive", PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_INHERIT, 0, 0},
    {"inherit robust", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, 1, 0},
    {"protect", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_PROTECT, 0, 0},
    {"shared", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, 0, 1},
    {"shared robust", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, 1, 1},
};

static pthread_mutex_t *mutex;
static volatile int waiter;
static int results[8];

static void init(const struct kind *kind)
{
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, kind->type);
  pthread_mutexattr_setprotocol(&attributes, kind->protocol);
  if (kind->protocol == PTHREAD_PRIO_PROTECT)
    pthread_mutexattr_setprioceiling(&attributes, sched_get_priority_min(SCHED_FIFO));
  pthread_mutexattr_setrobust(&attributes, kind->robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED);
  pthread_mutexattr_setpshared(&attributes, kind->shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE);
  MUST(pthread_mutex_init(mutex, &attributes), 0);
  pthread_mutexattr_destroy(&attributes);
}

/* While main has it. */
static void *as_another(void *unused)
{
  struct timespec past = {1, 0}, bad = {1, 1000000000};
  results[0] = pthread_mutex_trylock(mutex);
  results[1] = pthread_mutex_timedlock(mutex, &past);
  results[2] = pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &past);
  results[3] = pthread_mutex_clocklock(mutex, CLOCK_PROCESS_CPUTIME_ID, &past);
  results[4] = pthread_mutex_timedlock(mutex, &bad);
  waiter = (int)syscall(SYS_gettid);
  results[5] = pthread_mutex_lock(mutex);
  results[6] = results[5] == 0 ? pthread_mutex_unlock(mutex) : -1;
  return unused;
}

static void *end_with_it(void *unused)
{
  pthread_mutex_lock(mutex);
  return unused;
}

/* Locks it again; a normal one would wait for ever. */
static void again(const struct kind *kind)
{
  if (kind->type == PTHREAD_MUTEX_NORMAL || kind->type == PTHREAD_MUTEX_ADAPTIVE_NP)
    return;
  int result = pthread_mutex_lock(mutex);
  printf(" again %d try %d", result, pthread_mutex_trylock(mutex));
  if (result == 0) {
    MUST(pthread_mutex_unlock(mutex), 0);
    MUST(pthread_mutex_unlock(mutex), 0);
  }
}

/* A mutex with a ceiling may not be had by who has no right to its priority. */
static void with_another(const struct kind *kind)
{
  pthread_t thread;
  int result = pthread_mutex_lock(mutex);
  waiter = 0;
  memset(results, 0, sizeof results);
  printf("%s: first %d", kind->name, result);
  if (result != 0)
    return;
  again(kind);
  MUST(pthread_create(&thread, NULL, as_another, NULL), 0);
  seen_asleep(&waiter);
  printf(" unlock %d", pthread_mutex_unlock(mutex));
  MUST(pthread_join(thread, NULL), 0);
  printf(" other");
  for (int i = 0; i < 7; i++)
    printf(" %d", results[i]);
}

static void with_dead(const struct kind *kind)
{
  pthread_t thread;
  if (!kind->robust)
    return;
  MUST(pthread_create(&thread, NULL, end_with_it, NULL), 0);
  MUST(pthread_join(thread, NULL), 0);
  printf(" dead %d", pthread_mutex_lock(mutex));
  printf(" consistent %d", pthread_mutex_consistent(mutex));
  printf(" unlock %d", pthread_mutex_unlock(mutex));
  MUST(pthread_create(&thread, NULL, end_with_it, NULL), 0);
  MUST(pthread_join(thread, NULL), 0);
  printf(" dead %d", pthread_mutex_lock(mutex));
  printf(" unlock %d", pthread_mutex_unlock(mutex));
  printf(" lost %d", pthread_mutex_lock(mutex));
}

/* Another process has it, and dies of it where it is robust. */
static void with_process(const struct kind *kind)
{
  if (!kind->shared)
    return;
  int pipe_ends[2];
  char byte;
  MUST(pipe(pipe_ends), 0);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(mutex);
    MUST(write(pipe_ends[1], "", 1), 1);
    usleep(20000);
    if (!kind->robust)
      pthread_mutex_unlock(mutex);
    _exit(0);
  }
  MUST(read(pipe_ends[0], &byte, 1), 1);
  printf(" process %d", pthread_mutex_lock(mutex));
  MUST(waitpid(child, NULL, 0), child);
  if (kind->robust)
    MUST(pthread_mutex_consistent(mutex), 0);
  MUST(pthread_mutex_unlock(mutex), 0);
}

int main(void)
{
  mutex = mmap(NULL, sizeof *mutex, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    init(&kinds[i]);
    with_another(&kinds[i]);
    with_process(&kinds[i]);
    with_dead(&kinds[i]);
    printf(" destroy %d\n", pthread_mutex_destroy(mutex));
  }
  return 0;
}
