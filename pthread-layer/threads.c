/* Threads that the program makes and joins, and functions of libstdc++ that wait or wake. */
#include "pthread-layer/callers.h"
#include "pthread-layer/layer.h"
#include "pthread-layer/wait.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Functions of libstdc++ that wait or wake: the place where the program called them, and the function of a std::thread.
 * They may throw; then the next call forgets what was noted.
 */

static __thread uintptr_t started __attribute__((tls_model("initial-exec")));

static uintptr_t cxx_started(void)
{
  uintptr_t function = started;
  started = 0;
  return function;
}

/* The wrapped function. What the program calls is there. */
static void *behind(void *_Atomic *known, const char *name, uintptr_t caller)
{
  void *function = atomic_load_explicit(known, memory_order_relaxed);
  if (function)
    return function;
  function = next_of(name, (const void *)caller);
  if (!function)
    abort();
  return function;
}

/* Functions of one or two pointers that return nothing: `this`, and perhaps another. */
#define WRAPPED(name)                                                                                                  \
  LAYER_WRAPPER void name(void *object, void *other);                                                                  \
  void name(void *object, void *other)                                                                                 \
  {                                                                                                                    \
    static void *_Atomic known;                                                                                        \
    void (*function)(void *, void *) = (void (*)(void *, void *))behind(&known, #name, LAYER_CALLER());                \
    callers_note(LAYER_CALLER());                                                                                      \
    function(object, other);                                                                                           \
    callers_note(0);                                                                                                   \
  }

/* std::condition_variable: wait, notify_one, notify_all */
WRAPPED(_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE)
WRAPPED(_ZNSt18condition_variable10notify_oneEv)
WRAPPED(_ZNSt18condition_variable10notify_allEv)
/* std::thread::join */
WRAPPED(_ZNSt6thread4joinEv)

/* std::future, std::shared_future: the end of a task, until a time by one of two clocks or for ever. */
#define WRAPPED_UNTIL(name)                                                                                            \
  LAYER_WRAPPER bool name(void *object, unsigned *word, unsigned value, bool timed, int64_t seconds, int64_t ns);      \
  bool name(void *object, unsigned *word, unsigned value, bool timed, int64_t seconds, int64_t ns)                     \
  {                                                                                                                    \
    static void *_Atomic known;                                                                                        \
    bool (*function)(void *, unsigned *, unsigned, bool, int64_t, int64_t) =                                           \
        (bool (*)(void *, unsigned *, unsigned, bool, int64_t, int64_t))behind(&known, #name, LAYER_CALLER());         \
    callers_note(LAYER_CALLER());                                                                                      \
    bool result = function(object, word, value, timed, seconds, ns);                                                   \
    callers_note(0);                                                                                                   \
    return result;                                                                                                     \
  }

/* clang-format off */
WRAPPED_UNTIL(_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE)
WRAPPED_UNTIL(_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE)
/* clang-format on */
WRAPPED(_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj)

/* std::thread::_M_start_thread: the state's virtual function, behind its two destructors, is what the thread executes.
 */
#define START _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE
LAYER_WRAPPER void START(void *object, const uintptr_t *const **state, void (*depend)(void));

void START(void *object, const uintptr_t *const **state, void (*depend)(void))
{
  static void *_Atomic known;
  static const char name[] = "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE";
  enum { RUN = 2 };
  void (*function)(void *, const uintptr_t *const **, void (*)(void)) =
      (void (*)(void *, const uintptr_t *const **, void (*)(void)))behind(&known, name, LAYER_CALLER());
  callers_note(LAYER_CALLER());
  started = (**state)[RUN];
  function(object, state, depend);
  callers_note(0);
  started = 0;
}

/* Threads that the program makes, and joins. */

/* Argument of a new thread, which frees it. */
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

/* Returns the new thread's argument; NULL: the thread is not recorded, because it is a runtime's, or out of memory. */
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

/* True if a thread that joins this one waits; then the wait begins. */
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

/* Names of threads. */

LAYER_WRAPPER int pthread_setname_np(pthread_t thread, const char *name)
{
  layer_need_next();
  int result = next.pthread_setname_np(thread, name);
  if (result == 0 && layer_records() && pthread_equal(thread, pthread_self()))
    layer_calls->renamed();
  return result;
}
