/* Barriers, critical, atomic, ordered, cancellation, and messages of the error directive. */
#include "fortran-shim/provider.h"
#include "fortran-shim/serial.h"
#include "fortran-shim/task_state.h"
#include "fortran-shim/unreported.h"

/*
 * One entry point serves explicit barriers and those that the compiler puts behind inlined constructs. After a
 * construct that was seen to begin it is taken for the construct's own. Else it may be either, because of several
 * static loops in a function gcc shows the first only, and OMPT's oldest kind says just that: a barrier.
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
    if (!provider_is_on() || unreported_take(CALLER, (uintptr_t)(id)))                                                 \
      call;                                                                                                            \
    else                                                                                                               \
      report_##construct##_start(name, CALLER);                                                                        \
  } while (0)

#define RELEASE(construct, id, name, call)                                                                             \
  do {                                                                                                                 \
    if (!provider_is_on() || unreported_release((uintptr_t)(id)))                                                      \
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
  /* Whether another thread cancelled first, the specification wants to know; libgomp answers the same. */
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
