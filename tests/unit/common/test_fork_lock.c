/* One thread at a time; a handler does not wait for itself; a child waits for no thread of its parent's. */
#include "common/process/fork_lock.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { THREADS = 4, EACH = 5000, PATIENCE = 60 /* seconds */ };

static struct fork_lock lock;
static unsigned long counted; /* under the lock */

static void *counts(void *unused)
{
  for (unsigned i = 0; i < EACH; i++) {
    if (!fork_lock_take(&lock))
      return &lock;
    unsigned long before = counted;
    if (i % 100 == 0)
      sched_yield();
    counted = before + 1;
    fork_lock_give_back(&lock);
  }
  return unused;
}

static void one_thread_at_a_time_has_it(void **state)
{
  (void)state;
  pthread_t threads[THREADS];
  for (unsigned i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, counts, NULL), 0);
  for (unsigned i = 0; i < THREADS; i++) {
    void *failed;
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  assert_int_equal(counted, THREADS * EACH);
}

static void a_thread_that_has_it_does_not_wait_for_itself(void **state)
{
  (void)state;
  assert_true(fork_lock_take(&lock));
  assert_false(fork_lock_take(&lock));
  fork_lock_give_back(&lock);
  assert_true(fork_lock_take(&lock));
  fork_lock_give_back(&lock);
}

static sem_t holds, go_on;

static void *holds_it(void *unused)
{
  fork_lock_take(&lock);
  sem_post(&holds);
  sem_wait(&go_on);
  fork_lock_give_back(&lock);
  return unused;
}

static void a_child_takes_it_from_a_thread_that_it_has_not(void **state)
{
  (void)state;
  pthread_t thread;
  sem_init(&holds, 0, 0);
  sem_init(&go_on, 0, 0);
  assert_int_equal(pthread_create(&thread, NULL, holds_it, NULL), 0);
  sem_wait(&holds);
  pid_t child = _Fork();
  if (child == 0) {
    alarm(PATIENCE);
    _exit(fork_lock_take(&lock) ? 7 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 7);
  sem_post(&go_on);
  pthread_join(thread, NULL);
}

UNIT_TEST(fork_lock)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_thread_at_a_time_has_it),
      cmocka_unit_test(a_thread_that_has_it_does_not_wait_for_itself),
      cmocka_unit_test(a_child_takes_it_from_a_thread_that_it_has_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
