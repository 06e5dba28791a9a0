/* Threads that the program makes, and joins. */
#include "pthread-layer/cxx.h"
#include "pthread-layer/wait.h"

#include <errno.h>
#include <stdlib.h>

/* What a new thread is given; it frees this. */
struct made {
  union {
    void *(*posix)(void *);
    thrd_start_t c11;
  } start;
  void *argument;
  uintptr_t function; /* the program's: that or what std::thread has */
  uint64_t number;
};

static struct made begin(const struct made *made)
{
  struct made copy = *made;
  free((void *)made);
  thread_self_made();
  layer_calls->start(copy.function, copy.number);
  return copy;
}

static void *start_posix(void *argument)
{
  struct made made = begin(argument);
  return made.start.posix(made.argument);
}

static int start_c11(void *argument)
{
  struct made made = begin(argument);
  return made.start.c11(made.argument);
}

/* What the new thread is given; NULL: nothing is recorded of it, it is a runtime's or there is no memory. */
static struct made *prepare(uintptr_t caller)
{
  static _Atomic uint64_t threads;
  if (!layer_records_waits())
    return NULL;
  uintptr_t code = callers_code(caller);
  struct made *made = code != 0 ? malloc(sizeof *made) : NULL;
  if (!made)
    return NULL;
  made->number = atomic_fetch_add(&threads, 1) + 1;
  layer_calls->create(code, made->number);
  return made;
}

LAYER_WRAPPER int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                                 void *(*start)(void *), void *restrict argument)
{
  uintptr_t function = cxx_started();
  struct made *made = prepare(LAYER_CALLER());
  if (!made)
    return next.pthread_create(thread, attributes, start, argument);
  made->start.posix = start;
  made->argument = argument;
  made->function = function != 0 ? function : (uintptr_t)start;
  int result = next.pthread_create(thread, attributes, start_posix, made);
  if (result != 0)
    free(made);
  return result;
}

LAYER_WRAPPER int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
  struct made *made = prepare(LAYER_CALLER());
  if (!made)
    return next.thrd_create(thread, start, argument);
  made->start.c11 = start;
  made->argument = argument;
  made->function = (uintptr_t)start;
  int result = next.thrd_create(thread, start_c11, made);
  if (result != thrd_success)
    free(made);
  return result;
}

/* The kernel's number of a thread, which is part of its clock's; 0: it has ended. */
static uint64_t kernel_thread(pthread_t thread)
{
  clockid_t clock;
  return pthread_getcpuclockid(thread, &clock) == 0 ? (uint64_t)(unsigned)~(clock >> 3) : 0;
}

/* Whether a thread that joins this one waits; then the wait begins. */
static void begin_join(struct wait *wait, pthread_t thread, uintptr_t caller)
{
  wait->kind = 0;
  uint64_t number = pthread_equal(thread, pthread_self()) ? 0 : kernel_thread(thread);
  if (number != 0)
    wait_begins(wait, RAW_PTHREAD_JOIN, (const void *)thread, callers_code(caller), number);
}

LAYER_WRAPPER int pthread_join(pthread_t thread, void **value)
{
  if (!layer_records_waits())
    return next.pthread_join(thread, value);
  struct wait wait;
  int result;
  begin_join(&wait, thread, LAYER_CALLER());
  pthread_cleanup_push(wait_cancelled, &wait);
  result = next.pthread_join(thread, value);
  pthread_cleanup_pop(0);
  wait_ends(&wait, wait_how(result));
  return result;
}

LAYER_WRAPPER int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until)
{
  if (!layer_records_waits())
    return next.pthread_timedjoin_np(thread, value, until);
  struct wait wait;
  int result;
  begin_join(&wait, thread, LAYER_CALLER());
  pthread_cleanup_push(wait_cancelled, &wait);
  result = next.pthread_timedjoin_np(thread, value, until);
  pthread_cleanup_pop(0);
  wait_ends(&wait, wait_how(result));
  return result;
}

LAYER_WRAPPER int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock, const struct timespec *until)
{
  if (!layer_records_waits())
    return next.pthread_clockjoin_np(thread, value, clock, until);
  struct wait wait;
  int result;
  begin_join(&wait, thread, LAYER_CALLER());
  pthread_cleanup_push(wait_cancelled, &wait);
  result = next.pthread_clockjoin_np(thread, value, clock, until);
  pthread_cleanup_pop(0);
  wait_ends(&wait, wait_how(result));
  return result;
}

LAYER_WRAPPER int thrd_join(thrd_t thread, int *value)
{
  if (!layer_records_waits())
    return next.thrd_join(thread, value);
  struct wait wait;
  int result;
  begin_join(&wait, thread, LAYER_CALLER());
  pthread_cleanup_push(wait_cancelled, &wait);
  result = next.thrd_join(thread, value);
  pthread_cleanup_pop(0);
  wait_ends(&wait, result == thrd_success ? 0 : RAW_PTHREAD_FAILED);
  return result;
}
