/* A child of fork with threads of its own, while threads of its parent wait; threads that end in destructors. */
#include "tests/programs/pthread/seen.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static volatile int waiter;
static int destroyed;

static void destroy(void *unused)
{
  (void)unused;
  MUST(pthread_mutex_lock(&mutex), 0);
  destroyed++;
  MUST(pthread_mutex_unlock(&mutex), 0);
}

static void *wait_once(void *unused)
{
  MUST(pthread_setspecific(key, &key), 0);
  waiter = (int)syscall(SYS_gettid);
  MUST(pthread_mutex_lock(&mutex), 0);
  MUST(pthread_mutex_unlock(&mutex), 0);
  return unused;
}

static pthread_t let_wait(void)
{
  pthread_t thread;
  waiter = 0;
  MUST(pthread_create(&thread, NULL, wait_once, NULL), 0);
  seen_asleep(&waiter);
  return thread;
}

int main(void)
{
  MUST(pthread_key_create(&key, destroy), 0);
  MUST(pthread_mutex_lock(&mutex), 0);
  pthread_t thread = let_wait();
  pid_t child = fork();
  if (child == 0) { /* it has the mutex, and nobody waits for it */
    thread = let_wait();
    MUST(pthread_mutex_unlock(&mutex), 0);
    MUST(pthread_join(thread, NULL), 0);
    MUST(destroyed, 1);
    exit(3);
  }
  int status;
  MUST(waitpid(child, &status, 0), child);
  MUST(WEXITSTATUS(status), 3);
  MUST(pthread_mutex_unlock(&mutex), 0);
  MUST(pthread_join(thread, NULL), 0);
  MUST(destroyed, 1);
  puts("done");
  return 0;
}
