/*
 * A thread's first event begins the recording of the process. In the middle of that, where Heddle asks for a key, the
 * other thread makes a child by _Fork: no handler of fork informs Heddle. The child reports something, too.
 */
#include "user-events/include/heddle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 60 }; /* seconds; a child that waits for a thread of its parent's waits for ever */

static sem_t in_the_middle, go_on;
static __thread int is_beginner;

int pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
  static int (*real)(pthread_key_t *, void (*)(void *));
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_key_create");
  if (is_beginner) {
    is_beginner = 0;
    sem_post(&in_the_middle);
    sem_wait(&go_on);
  }
  return real(key, destroy);
}

static void *begin(void *unused)
{
  is_beginner = 1;
  heddle_event("thread");
  is_beginner = 0;
  sem_post(&in_the_middle); /* also without Heddle */
  return unused;
}

int main(void)
{
  pthread_t thread;
  if (pthread_create(&thread, NULL, begin, NULL) != 0)
    return 1;
  sem_wait(&in_the_middle);
  pid_t child = _Fork();
  if (child == 0) {
    alarm(PATIENCE);
    heddle_event("child");
    exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  sem_post(&go_on);
  pthread_join(thread, NULL);
  heddle_event("parent");
  puts(status == 0 ? "done" : "the child did not end");
  return status != 0;
}
