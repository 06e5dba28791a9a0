/* Calls on a stack of ours: where they run, what they leave alone, and who can look through them. */
#include "common/recorder/own_stack.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#if defined(__has_feature)
#define HAS_FEATURE(feature) __has_feature(feature)
#else
#define HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer) || !defined(__x86_64__)
#define IN_PLACE 1 /* own_stack.c says why */
#else
#define IN_PLACE 0
#endif

struct seen {
  uintptr_t address;
  int calls;
};

__attribute__((noinline)) static void look(void *argument)
{
  struct seen *seen = argument;
  char here;
  seen->address = (uintptr_t)&here;
  seen->calls++;
  errno = EXDEV;
}

static uintptr_t distance(uintptr_t a, uintptr_t b)
{
  return a > b ? a - b : b - a;
}

static void test_it_runs_elsewhere_once(void **state)
{
  (void)state;
  struct seen seen = {0};
  assert_true(own_stack_call(look, &seen));
  assert_int_equal(errno, EXDEV);
  assert_int_equal(seen.calls, 1);
  assert_true(IN_PLACE || distance(seen.address, (uintptr_t)&seen) > OWN_STACK_SIZE / 2);
}

/* All of the stack can be used, and the next call finds it as new. */
static void fill(void *argument)
{
  volatile char bytes[OWN_STACK_SIZE - 8192];
  memset((char *)bytes, 1, sizeof bytes);
  *(int *)argument += bytes[sizeof bytes / 2];
}

static void nest(void *argument)
{
  assert_true(own_stack_call(fill, argument));
  fill(argument);
}

static void test_it_has_room_also_when_nested(void **state)
{
  (void)state;
  int sum = 0;
  assert_true(own_stack_call(nest, &sum));
  assert_int_equal(sum, 2);
}

static atomic_int delivered;

static void on_signal(int number)
{
  (void)number;
  atomic_fetch_add(&delivered, 1);
}

static void raise_and_look(void *seen)
{
  raise(SIGUSR1);
  *(int *)seen = atomic_load(&delivered);
}

static void test_signals_wait(void **state)
{
  (void)state;
  struct sigaction action = {.sa_handler = on_signal};
  sigset_t before, after;
  int seen = -1;
  sigaction(SIGUSR1, &action, NULL);
  pthread_sigmask(SIG_SETMASK, NULL, &before);
  assert_true(own_stack_call(raise_and_look, &seen));
  assert_true(IN_PLACE || seen == 0);
  assert_int_equal(atomic_load(&delivered), 1);
  pthread_sigmask(SIG_SETMASK, NULL, &after);
  for (int i = 1; i < NSIG; i++)
    assert_int_equal(sigismember(&before, i), sigismember(&after, i));
}

/* What a sandbox answers in a handler, and a program's own handler of crashes, are there also then. */
static void raise_fault(void *unused)
{
  (void)unused;
  raise(SIGSYS);
}

static void test_faults_are_handled(void **state)
{
  (void)state;
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGSYS, &action, NULL);
  int before = atomic_load(&delivered);
  assert_true(own_stack_call(raise_fault, NULL));
  assert_int_equal(atomic_load(&delivered), before + 1);

  /* What the program has blocked stays so. */
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGSYS);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  assert_true(own_stack_call(raise_fault, NULL));
  assert_int_equal(atomic_load(&delivered), before + 1);
  pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
  assert_int_equal(atomic_load(&delivered), before + 2);
}

/* From there, the unwinder comes back to the function that called. */
static _Unwind_Reason_Code find(struct _Unwind_Context *context, void *argument)
{
  uintptr_t *wanted = argument;
  if ((uintptr_t)_Unwind_FindEnclosingFunction((void *)(_Unwind_GetIP(context) - 1)) != *wanted)
    return _URC_NO_REASON;
  *wanted = 0;
  return _URC_END_OF_STACK;
}

static void unwind(void *wanted)
{
  _Unwind_Backtrace(find, wanted);
}

static void test_unwinders_find_the_caller(void **state)
{
  (void)state;
  uintptr_t wanted = (uintptr_t)test_unwinders_find_the_caller;
  assert_true(own_stack_call(unwind, &wanted));
  assert_int_equal(wanted, 0);
}

static void *call_often(void *argument)
{
  for (int i = 0; i < 500; i++)
    own_stack_call(look, argument);
  return NULL;
}

static void test_threads_and_children_call_at_the_same_time(void **state)
{
  (void)state;
  pthread_t threads[4];
  struct seen seen[4] = {0}, mine = {0};
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, call_often, &seen[i]), 0);
  for (int i = 0; i < 20; i++) {
    pid_t pid = fork();
    if (pid == 0) /* not by _exit, where ThreadSanitizer would miss the parent's threads */
      syscall(SYS_exit_group, own_stack_call(look, &mine) ? mine.calls : 99);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), 1);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(seen[i].calls, 500);
  }
}

static void test_no_memory_is_told(void **state)
{
  (void)state;
  struct seen seen = {0};
  struct rlimit before, none = {0};
  getrlimit(RLIMIT_AS, &before);
  none.rlim_max = before.rlim_max;
  setrlimit(RLIMIT_AS, &none);
  bool called = own_stack_call(look, &seen);
  setrlimit(RLIMIT_AS, &before);
  assert_true(IN_PLACE || !called);
  assert_int_equal(seen.calls, called);
}

UNIT_TEST(own_stack)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_it_runs_elsewhere_once),
      cmocka_unit_test(test_it_has_room_also_when_nested),
      cmocka_unit_test(test_signals_wait),
      cmocka_unit_test(test_faults_are_handled),
      cmocka_unit_test(test_unwinders_find_the_caller),
      cmocka_unit_test(test_threads_and_children_call_at_the_same_time),
      cmocka_unit_test(test_no_memory_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
