/* Barriers, critical, atomic, ordered, cancellation, messages of the error directive, and OpenMP's locks. */
#include "fortran-shim/omitted.h"
#include "fortran-shim/provider.h"
#include "fortran-shim/serial.h"
#include "fortran-shim/task_state.h"

/*
 * One entry point serves explicit barriers and the barriers that the compiler puts behind inlined constructs. After a
 * construct that was seen to begin it is taken for the construct's own. Else it may be either: in a function with
 * several static loops gcc shows the first only. OMPT's oldest kind says just that: a barrier.
 */
static ompt_sync_region_t arrive(struct task *task, int *before, const void *code)
{
  ompt_sync_region_t kind = ompt_sync_region_barrier;
  if (task->work.open_ended) {
    work_end(task, code);
    kind = ompt_sync_region_barrier_implicit_workshare;
  } else if (task->copying) {
    task->copying = false;
    kind = ompt_sync_region_barrier_implementation;
  }
  *before = sync_begin(task, kind, code);
  return kind;
}

void GOMP_barrier(void)
{
  if (!provider_is_on()) {
    gomp.GOMP_barrier();
    return;
  }
  struct task *task = current_task();
  int before;
  frame_enter(task, FRAME);
  ompt_sync_region_t kind = arrive(task, &before, CALLER);
  gomp.GOMP_barrier();
  sync_end(task, kind, before, CALLER);
  frame_leave(task);
}

bool GOMP_barrier_cancel(void)
{
  if (!provider_is_on())
    return gomp.GOMP_barrier_cancel();
  struct task *task = current_task();
  int before;
  frame_enter(task, FRAME);
  ompt_sync_region_t kind = arrive(task, &before, CALLER);
  bool cancelled = gomp.GOMP_barrier_cancel();
  sync_end(task, kind, before, CALLER);
  frame_leave(task);
  return cancelled;
}

/* The barrier of a construct with task reductions; there is none when it was cancelled. */
void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
  if (!provider_is_on() || cancelled) {
    gomp.GOMP_workshare_task_reduction_unregister(cancelled);
    return;
  }
  struct task *task = current_task();
  work_end_open_ended(task, CALLER);
  int before = sync_begin(task, ompt_sync_region_barrier_implicit_workshare, CALLER);
  gomp.GOMP_workshare_task_reduction_unregister(cancelled);
  sync_end(task, ompt_sync_region_barrier_implicit_workshare, before, CALLER);
}

/*
 * A mutex is acquired, or released: `call` does it, and may use `name`. What need not be reported is a jump to libgomp,
 * so what is has functions of its own. A release is reported afterwards, so that nobody waits for the report.
 */
#define MUTEX(construct, kind, wait_state, id, acquire, release)                                                       \
  static __attribute__((noinline)) void report_##construct##_start(void **name, const void *code)                      \
  {                                                                                                                    \
    (void)current_task();                                                                                              \
    const ompt_wait_id_t wait = (ompt_wait_id_t)(uintptr_t)(id);                                                       \
    int before = self.state;                                                                                           \
    REPORT(mutex_acquire, kind, 0, MUTEX_IMPLEMENTATION, wait, code);                                                  \
    self.wait = wait;                                                                                                  \
    self.state = (wait_state);                                                                                         \
    acquire;                                                                                                           \
    self.state = before;                                                                                               \
    REPORT(mutex_acquired, kind, wait, code);                                                                          \
    (void)name;                                                                                                        \
  }                                                                                                                    \
  static __attribute__((noinline)) void report_##construct##_end(void **name, const void *code)                        \
  {                                                                                                                    \
    (void)current_task();                                                                                              \
    release;                                                                                                           \
    REPORT(mutex_released, kind, (ompt_wait_id_t)(uintptr_t)(id), code);                                               \
    (void)name;                                                                                                        \
  }

#define ACQUIRE(construct, id, name, call)                                                                             \
  do {                                                                                                                 \
    if (!provider_is_on() || omitted_take(CALLER, (uintptr_t)(id)))                                                    \
      call;                                                                                                            \
    else                                                                                                               \
      report_##construct##_start(name, CALLER);                                                                        \
  } while (0)

#define RELEASE(construct, id, name, call)                                                                             \
  do {                                                                                                                 \
    if (!provider_is_on() || omitted_release((uintptr_t)(id)))                                                         \
      call;                                                                                                            \
    else                                                                                                               \
      report_##construct##_end(name, CALLER);                                                                          \
  } while (0)

/* The unnamed critical section and atomic's lock are one a process: they are known by an address here. */
static char unnamed, atomically;

MUTEX(critical, ompt_mutex_critical, ompt_state_wait_critical, &unnamed, gomp.GOMP_critical_start(),
      gomp.GOMP_critical_end())
/* The variable of a named section is the same for the whole program, by its name. */
MUTEX(critical_name, ompt_mutex_critical, ompt_state_wait_critical, name, gomp.GOMP_critical_name_start(name),
      gomp.GOMP_critical_name_end(name))
MUTEX(atomic, ompt_mutex_atomic, ompt_state_wait_atomic, &atomically, gomp.GOMP_atomic_start(), gomp.GOMP_atomic_end())
/* An ordered region's turn is its team's. */
MUTEX(ordered, ompt_mutex_ordered, ompt_state_wait_ordered, self.task->team, gomp.GOMP_ordered_start(),
      gomp.GOMP_ordered_end())

void GOMP_critical_start(void)
{
  ACQUIRE(critical, &unnamed, NULL, gomp.GOMP_critical_start());
}

void GOMP_critical_end(void)
{
  RELEASE(critical, &unnamed, NULL, gomp.GOMP_critical_end());
}

void GOMP_critical_name_start(void **name)
{
  ACQUIRE(critical_name, name, name, gomp.GOMP_critical_name_start(name));
}

void GOMP_critical_name_end(void **name)
{
  RELEASE(critical_name, name, name, gomp.GOMP_critical_name_end(name));
}

void GOMP_atomic_start(void)
{
  ACQUIRE(atomic, &atomically, NULL, gomp.GOMP_atomic_start());
}

void GOMP_atomic_end(void)
{
  RELEASE(atomic, &atomically, NULL, gomp.GOMP_atomic_end());
}

void GOMP_ordered_start(void)
{
  ACQUIRE(ordered, current_task()->team, NULL, gomp.GOMP_ordered_start());
}

void GOMP_ordered_end(void)
{
  RELEASE(ordered, current_task()->team, NULL, gomp.GOMP_ordered_end());
}

static int cancel_flags(int which)
{
  return (which & GOMP_CANCEL_PARALLEL ? (int)ompt_cancel_parallel : 0) |
         (which & GOMP_CANCEL_LOOP ? (int)ompt_cancel_loop : 0) |
         (which & GOMP_CANCEL_SECTIONS ? (int)ompt_cancel_sections : 0) |
         (which & GOMP_CANCEL_TASKGROUP ? (int)ompt_cancel_taskgroup : 0);
}

static void report_cancel(int flags, const void *code)
{
  struct task *task = current_task();
  task->cancelled = true;
  REPORT(cancel, &task->data, flags, code);
}

bool GOMP_cancel(int which, bool really)
{
  /* OpenMP specifies a flag for a thread that cancels second; libgomp's answer is the same for both. */
  bool on = provider_is_on(), already = really && on && gomp.GOMP_cancellation_point(which);
  bool cancelled = gomp.GOMP_cancel(which, really);
  if (cancelled && on)
    report_cancel(cancel_flags(which) | (int)(really && !already ? ompt_cancel_activated : ompt_cancel_detected),
                  CALLER);
  return cancelled;
}

bool GOMP_cancellation_point(int which)
{
  bool on = provider_is_on(), cancelled = gomp.GOMP_cancellation_point(which);
  if (cancelled && on)
    report_cancel(cancel_flags(which) | (int)ompt_cancel_detected, CALLER);
  return cancelled;
}

void GOMP_error(const char *message, uintptr_t length)
{
  if (provider_is_on())
    REPORT(error, ompt_fatal, message, length, CALLER);
  if (gomp.GOMP_error == serial_GOMP_error)
    runtime_find_missing();
  gomp.GOMP_error(message, length);
}

void GOMP_warning(const char *message, uintptr_t length)
{
  if (provider_is_on())
    REPORT(error, ompt_warning, message, length, CALLER);
  if (gomp.GOMP_warning == serial_GOMP_warning)
    runtime_find_missing();
  gomp.GOMP_warning(message, length);
}

/*
 * The lock functions, from C and from Fortran. Both pass the address of the lock variable. In Fortran a nested lock's
 * variable holds a pointer to the lock, but its own address names it as well.
 */

#define ID ((ompt_wait_id_t)(uintptr_t)lock)

#define INIT(name, kind)                                                                                               \
  void name(void *lock)                                                                                                \
  {                                                                                                                    \
    bool on = provider_is_on();                                                                                        \
    gomp.name(lock);                                                                                                   \
    if (on && current_task())                                                                                          \
      REPORT(lock_init, kind, 0, MUTEX_IMPLEMENTATION, ID, CALLER);                                                    \
  }

#define DESTROY(name, kind)                                                                                            \
  void name(void *lock)                                                                                                \
  {                                                                                                                    \
    if (provider_is_on() && current_task())                                                                            \
      REPORT(lock_destroy, kind, ID, CALLER);                                                                          \
    gomp.name(lock);                                                                                                   \
  }

static int begin_waiting(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
  (void)current_task();
  int before = self.state;
  REPORT(mutex_acquire, kind, 0, MUTEX_IMPLEMENTATION, id, code);
  self.wait = id;
  self.state = ompt_state_wait_lock;
  return before;
}

/*
 * What need not be reported is short; what is has functions of its own, name##_reported. One that has to wait is
 * reported in any case.
 */
#define REPORTED(name) static __attribute__((noinline)) void name##_reported(void *lock, const void *code)
#define REFUSED(name)                                                                                                  \
  static __attribute__((noinline)) void name##_refused(void *lock, const void *code)                                   \
  {                                                                                                                    \
    omitted_take_back(code);                                                                                           \
    name##_reported(lock, code);                                                                                       \
  }

/* The routines themselves, which take and release locks of both kinds. */
#define TAKES(name, test)                                                                                              \
  void name(void *lock)                                                                                                \
  {                                                                                                                    \
    if (!provider_is_on()) {                                                                                           \
      gomp.name(lock);                                                                                                 \
      return;                                                                                                          \
    }                                                                                                                  \
    if (!omitted_take(CALLER, (uintptr_t)lock))                                                                        \
      name##_reported(lock, CALLER);                                                                                   \
    else if (__builtin_expect(!gomp.test(lock), 0))                                                                    \
      name##_refused(lock, CALLER);                                                                                    \
  }

#define RELEASES(name)                                                                                                 \
  void name(void *lock)                                                                                                \
  {                                                                                                                    \
    if (!provider_is_on() || omitted_release((uintptr_t)lock))                                                         \
      gomp.name(lock);                                                                                                 \
    else                                                                                                               \
      name##_reported(lock, CALLER);                                                                                   \
  }

#define SET(name, test)                                                                                                \
  REPORTED(name)                                                                                                       \
  {                                                                                                                    \
    int before = begin_waiting(ompt_mutex_lock, ID, code);                                                             \
    gomp.name(lock);                                                                                                   \
    self.state = before;                                                                                               \
    REPORT(mutex_acquired, ompt_mutex_lock, ID, code);                                                                 \
  }                                                                                                                    \
  REFUSED(name)                                                                                                        \
  TAKES(name, test)

#define UNSET(name)                                                                                                    \
  REPORTED(name)                                                                                                       \
  {                                                                                                                    \
    (void)current_task();                                                                                              \
    gomp.name(lock);                                                                                                   \
    REPORT(mutex_released, ompt_mutex_lock, ID, code);                                                                 \
  }                                                                                                                    \
  RELEASES(name)

#define TEST(name)                                                                                                     \
  int name(void *lock)                                                                                                 \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      return gomp.name(lock);                                                                                          \
    if (omitted_take(CALLER, (uintptr_t)lock)) {                                                                       \
      if (gomp.name(lock))                                                                                             \
        return 1;                                                                                                      \
      omitted_take_back(CALLER);                                                                                       \
    }                                                                                                                  \
    int before = begin_waiting(ompt_mutex_test_lock, ID, CALLER);                                                      \
    int got = gomp.name(lock);                                                                                         \
    self.state = before;                                                                                               \
    if (got)                                                                                                           \
      REPORT(mutex_acquired, ompt_mutex_test_lock, ID, CALLER);                                                        \
    return got;                                                                                                        \
  }

/*
 * Nested locks: how deep is the thread in it? Set does not say, but a test right after it does, in the owner's hands:
 * it gives the depth. So after a set that got the lock: test, unset, depth - 1.
 */
static int depth_in(void *lock, int (*test)(void *), void (*unset)(void *))
{
  int depth = test(lock);
  unset(lock);
  return depth - 1;
}

/* True if the thread holds the lock by an omitted acquisition: then this one is omitted, too. */
static bool take_again(void *lock, int (*test)(void *))
{
  if (omitted.held_count == 0 || omitted.held_count == OMITTED_HELD || !omitted_holds((uintptr_t)lock) ||
      test(lock) == 0)
    return false;
  omitted.held[omitted.held_count++] = (uintptr_t)lock;
  return true;
}

static void report_got(int depth, ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
  if (depth == 1)
    REPORT(mutex_acquired, kind, id, code);
  else if (depth > 1)
    REPORT(nest_lock, ompt_scope_begin, id, code);
}

#define NEST_SET(name, test, unset)                                                                                    \
  REPORTED(name)                                                                                                       \
  {                                                                                                                    \
    if (take_again(lock, gomp.test))                                                                                   \
      return;                                                                                                          \
    int before = begin_waiting(ompt_mutex_nest_lock, ID, code);                                                        \
    gomp.name(lock);                                                                                                   \
    self.state = before;                                                                                               \
    report_got(depth_in(lock, gomp.test, gomp.unset), ompt_mutex_nest_lock, ID, code);                                 \
  }                                                                                                                    \
  REFUSED(name)                                                                                                        \
  TAKES(name, test)

#define NEST_UNSET(name, test)                                                                                         \
  REPORTED(name)                                                                                                       \
  {                                                                                                                    \
    (void)current_task();                                                                                              \
    int depth = depth_in(lock, gomp.test, gomp.name);                                                                  \
    gomp.name(lock);                                                                                                   \
    if (depth > 1)                                                                                                     \
      REPORT(nest_lock, ompt_scope_end, ID, code);                                                                     \
    else                                                                                                               \
      REPORT(mutex_released, ompt_mutex_nest_lock, ID, code);                                                          \
  }                                                                                                                    \
  RELEASES(name)

#define NEST_TEST(name)                                                                                                \
  int name(void *lock)                                                                                                 \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      return gomp.name(lock);                                                                                          \
    int before = begin_waiting(ompt_mutex_test_nest_lock, ID, CALLER);                                                 \
    int depth = gomp.name(lock);                                                                                       \
    self.state = before;                                                                                               \
    report_got(depth, ompt_mutex_test_nest_lock, ID, CALLER);                                                          \
    return depth;                                                                                                      \
  }

INIT(omp_init_lock, ompt_mutex_lock)
INIT(omp_init_lock_, ompt_mutex_lock)
INIT(omp_init_nest_lock, ompt_mutex_nest_lock)
INIT(omp_init_nest_lock_, ompt_mutex_nest_lock)
DESTROY(omp_destroy_lock, ompt_mutex_lock)
DESTROY(omp_destroy_lock_, ompt_mutex_lock)
DESTROY(omp_destroy_nest_lock, ompt_mutex_nest_lock)
DESTROY(omp_destroy_nest_lock_, ompt_mutex_nest_lock)
SET(omp_set_lock, omp_test_lock)
SET(omp_set_lock_, omp_test_lock_)
UNSET(omp_unset_lock)
UNSET(omp_unset_lock_)
TEST(omp_test_lock)
TEST(omp_test_lock_)
NEST_SET(omp_set_nest_lock, omp_test_nest_lock, omp_unset_nest_lock)
NEST_SET(omp_set_nest_lock_, omp_test_nest_lock_, omp_unset_nest_lock_)
NEST_UNSET(omp_unset_nest_lock, omp_test_nest_lock)
NEST_UNSET(omp_unset_nest_lock_, omp_test_nest_lock_)
NEST_TEST(omp_test_nest_lock)
NEST_TEST(omp_test_nest_lock_)
