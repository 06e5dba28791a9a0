/*
 * Threads that acquire mutexes and rwlocks in different orders, one thread after the other, so that none ever waits:
 * orders_posix pair|gated|three|rwlock|tried|recursive|condition. Tests find lines by the marks in the comments.
 */
#include "tests/programs/program.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t locks[3], gate;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static const char *how;

static bool is(const char *name)
{
  return strcmp(how, name) == 0;
}

__attribute__((noinline)) static void lock(int number) /* inlined, it has no line of its own */
{
  if (pthread_mutex_lock(&locks[number]) != 0) /* mark: first */
    abort();
}

/* What a thread acquires while it holds another lock. */
static void lock_second(int number)
{
  if (is("tried")) {
    if (pthread_mutex_trylock(&locks[number]) != 0)
      abort();
  } else {
    pthread_mutex_lock(&locks[number]); /* mark: second */
  }
}

static void both(int first, int second)
{
  lock(first);
  lock_second(second);
  pthread_mutex_unlock(&locks[second]);
  pthread_mutex_unlock(&locks[first]);
}

/* A recursive mutex is released when it is unlocked as often as it was locked: not when the second one is acquired. */
static void both_recursively(int first, int second)
{
  lock(first);
  lock(first);
  pthread_mutex_unlock(&locks[first]);
  pthread_mutex_unlock(&locks[first]);
  lock(second);
  pthread_mutex_unlock(&locks[second]);
}

/* A wait for a condition acquires its mutex again, while the thread holds another one. */
static void wait_with_both(void)
{
  struct timespec past = {0};
  lock(0);
  lock_second(1);
  pthread_cond_timedwait(&condition, &locks[0], &past); /* mark: wait */
  pthread_mutex_unlock(&locks[0]);
  pthread_mutex_unlock(&locks[1]);
}

static void *work(void *argument)
{
  int me = (int)(long)argument, threads = is("three") ? 3 : 2;
  if (is("gated"))
    pthread_mutex_lock(&gate); /* mark: gate */
  if (is("rwlock") && me == 0) {
    pthread_rwlock_rdlock(&rwlock); /* mark: read */
    lock_second(0);
    pthread_mutex_unlock(&locks[0]);
    pthread_rwlock_unlock(&rwlock);
  } else if (is("rwlock")) {
    lock(0);
    pthread_rwlock_wrlock(&rwlock); /* mark: write */
    pthread_rwlock_unlock(&rwlock);
    pthread_mutex_unlock(&locks[0]);
  } else if (is("condition")) {
    wait_with_both();
  } else if (is("recursive")) {
    both_recursively(me, (me + 1) % threads);
  } else {
    both(me, (me + 1) % threads);
  }
  if (is("gated"))
    pthread_mutex_unlock(&gate);
  return NULL;
}

int main(int count, char **arguments)
{
  pthread_mutexattr_t attributes;
  how = count == 2 ? arguments[1] : "";
  pthread_mutexattr_init(&attributes);
  if (is("recursive"))
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  for (int i = 0; i < 3; i++)
    pthread_mutex_init(&locks[i], &attributes); /* mark: init */
  pthread_mutex_init(&gate, NULL);              /* mark: init gate */
  for (long i = 0; i < (is("three") ? 3 : 2); i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, (void *)i) != 0 || pthread_join(thread, NULL) != 0)
      abort();
  }
  return finish(true);
}
