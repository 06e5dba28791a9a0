#include "ompt-tool/gated_callbacks.h"

#include "common/profile/live_profile.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/waits.h"
#include "ompt-tool/callbacks.h"
#include "ompt-tool/omissions.h"
#include "ompt-tool/registered_callbacks.h"

#define LOCKS_COUNTED (LIVE_NEED_LOCKS | LIVE_NEED_LOCK_COUNTS)

/* The epoch in which the thread recorded last. */
static __thread uint32_t seen __attribute__((tls_model("initial-exec")));

/* Measurement was off, so the thread's stack of constructs may be stale. Clears it; ends without a begin are ignored.
 */
static __attribute__((noinline)) void forget_constructs(uint32_t epoch)
{
  struct omission *omission = omission_of_thread;
  seen = epoch;
  if (!omission)
    return;
  chunks_take_back(omission);
  construct_set_depth(&omission->stack, 1);
  omission->stack.over = 0;
  omission->waits = omission->acquires = false;
  omission->wait_count = omission->untimed_most = 0;
  omission->newest.first = NULL;
}

/* True if one of the groups is measured; then the thread's stack of constructs is up to date. */
static inline __attribute__((always_inline)) bool is_open(uint32_t groups)
{
  uint64_t needs = needs_now();
  if ((needs & groups) == 0)
    return false;
  if (__builtin_expect(needs_epoch(needs) != seen, 0))
    forget_constructs(needs_epoch(needs));
  return true;
}

/* Gates that only ask: event, groups, parameters, arguments. */
#define GATES(X)                                                                                                       \
  X(masked, LIVE_NEED_WORKS,                                                                                           \
    (ompt_scope_endpoint_t endpoint, ompt_data_t * parallel, ompt_data_t * task, const void *code),                    \
    (endpoint, parallel, task, code))                                                                                  \
  X(work, LIVE_NEED_WORKS,                                                                                             \
    (ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t * parallel, ompt_data_t * task, uint64_t count,     \
     const void *code),                                                                                                \
    (type, endpoint, parallel, task, count, code))                                                                     \
  X(dispatch, LIVE_NEED_CHUNKS,                                                                                        \
    (ompt_data_t * parallel, ompt_data_t * task, ompt_dispatch_t kind, ompt_data_t instance),                          \
    (parallel, task, kind, instance))                                                                                  \
  X(sync_region, LIVE_NEED_SYNC,                                                                                       \
    (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t * parallel, ompt_data_t * task,              \
     const void *code),                                                                                                \
    (kind, endpoint, parallel, task, code))                                                                            \
  X(sync_region_wait, LIVE_NEED_SYNC,                                                                                  \
    (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t * parallel, ompt_data_t * task,              \
     const void *code),                                                                                                \
    (kind, endpoint, parallel, task, code))                                                                            \
  X(reduction, LIVE_NEED_SYNC,                                                                                         \
    (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t * parallel, ompt_data_t * task,              \
     const void *code),                                                                                                \
    (kind, endpoint, parallel, task, code))                                                                            \
  X(mutex_acquire, LIVE_NEED_LOCKS,                                                                                    \
    (ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code),                          \
    (kind, hint, impl, wait, code))                                                                                    \
  X(mutex_released, LIVE_NEED_LOCKS, (ompt_mutex_t kind, ompt_wait_id_t wait, const void *code), (kind, wait, code))   \
  X(lock_init, LIVE_NEED_LOCKS,                                                                                        \
    (ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code),                          \
    (kind, hint, impl, wait, code))                                                                                    \
  X(lock_destroy, LIVE_NEED_LOCKS, (ompt_mutex_t kind, ompt_wait_id_t wait, const void *code), (kind, wait, code))     \
  X(flush, LIVE_NEED_OTHERS, (ompt_data_t * thread, const void *code), (thread, code))                                 \
  X(task_create, LIVE_NEED_TASKS,                                                                                      \
    (ompt_data_t * creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependences,                  \
     const void *code),                                                                                                \
    (creator, frame, task, flags, dependences, code))                                                                  \
  X(dependences, LIVE_NEED_TASKS, (ompt_data_t * task, const ompt_dependence_t *dependences, int n),                   \
    (task, dependences, n))                                                                                            \
  X(task_dependence, LIVE_NEED_TASKS, (ompt_data_t * source, ompt_data_t * sink), (source, sink))                      \
  X(cancel, LIVE_NEED_OTHERS, (ompt_data_t * task, int flags, const void *code), (task, flags, code))

/* Gates that do more. */
#define OWN_GATES(X)                                                                                                   \
  X(thread_begin, 0, , )                                                                                               \
  X(parallel_begin, LIVE_NEED_REGIONS, , )                                                                             \
  X(parallel_end, LIVE_NEED_REGIONS, , )                                                                               \
  X(implicit_task, LIVE_NEED_REGIONS, , )                                                                              \
  X(mutex_acquired, LOCKS_COUNTED, , )                                                                                 \
  X(nest_lock, LOCKS_COUNTED, , )                                                                                      \
  X(task_schedule, LIVE_NEED_TASKS, , )

#define X(event, groups, parameters, arguments)                                                                        \
  static void gated_##event parameters                                                                                 \
  {                                                                                                                    \
    if (is_open(groups))                                                                                               \
      on_##event arguments;                                                                                            \
  }
GATES(X)
#undef X

static void gated_thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
  if (type != ompt_thread_initial)
    registered_begin_other();
  else
    registered_begin_root();
  on_thread_begin(type, thread);
}

static void gated_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                                 unsigned requested, int flags, const void *code)
{
  registered_drop_unneeded();
  if (is_open(LIVE_NEED_REGIONS))
    on_parallel_begin(task, frame, parallel, requested, flags, code);
}

/* A region may have begun before regions were needed. Then its end and its members are not reported, either. */
static void gated_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
  if (is_open(LIVE_NEED_REGIONS) && id_of(parallel) != RAW_ID_NONE)
    on_parallel_end(parallel, task, flags, code);
}

static void gated_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                                unsigned team_size, unsigned index, int flags)
{
  bool unknown = endpoint == ompt_scope_begin && id_of(parallel) == RAW_ID_NONE && !(flags & ompt_task_initial);
  if (is_open(LIVE_NEED_REGIONS) && !unknown)
    on_implicit_task(endpoint, parallel, task, team_size, index, flags);
  else if (endpoint == ompt_scope_begin && task)
    task->value = RAW_ID_IMPLICIT;
}

/* Without the times of locks, callbacks of their requests and releases are not needed. */
static inline __attribute__((always_inline)) bool are_locks_counted(void)
{
  return (needs_now() & LOCKS_COUNTED) == LIVE_NEED_LOCK_COUNTS;
}

static void gated_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  if (are_locks_counted())
    live_profile_count_lock(kind, wait, code, false);
  else if (is_open(LIVE_NEED_LOCKS))
    on_mutex_acquired(kind, wait, code);
}

static void gated_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void *code)
{
  if (are_locks_counted() && endpoint == ompt_scope_begin)
    live_profile_count_lock(ompt_mutex_nest_lock, wait, code, true);
  else if (is_open(LIVE_NEED_LOCKS))
    on_nest_lock(endpoint, wait, code);
}

static void gated_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  if (status == ompt_task_detach)
    registered_stop();
  if (is_open(LIVE_NEED_TASKS))
    on_task_schedule(prior, status, next);
}

ompt_callback_t gated_callback(ompt_callbacks_t event)
{
  switch ((int)event) {
#define X(name, groups, parameters, arguments)                                                                         \
  case ompt_callback_##name:                                                                                           \
    return (ompt_callback_t)gated_##name;
    GATES(X)
    OWN_GATES(X)
#undef X
  default:
    return NULL;
  }
}

uint32_t gated_groups(ompt_callbacks_t event)
{
  switch ((int)event) {
#define X(name, groups, parameters, arguments)                                                                         \
  case ompt_callback_##name:                                                                                           \
    return groups;
    GATES(X)
    OWN_GATES(X)
#undef X
  default:
    return 0;
  }
}

/* Bit 0: the calling thread waits. Bit n: it did when it began the n-th last of the tasks that it is in. A task that it
 * executes while it waits is no wait; undeferred tasks and their creators take turns likewise. */
static __thread uint64_t waiting __attribute__((tls_model("initial-exec")));

static void set_waiting(bool waits)
{
  if (waits)
    waits_begin();
  else if (waiting & 1)
    waits_end();
  waiting = (waiting & ~1ull) | waits;
}

static void watched_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                                     ompt_data_t *task, const void *code)
{
  if (endpoint != ompt_scope_begin)
    set_waiting(false);
  on_sync_region_wait(kind, endpoint, parallel, task, code);
  if (endpoint == ompt_scope_begin)
    set_waiting(true);
}

/* A test of a lock waits for nobody, and is followed by an acquisition only if it got the lock. */
static void watched_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait,
                                  const void *code)
{
  on_mutex_acquire(kind, hint, impl, wait, code);
  if (kind != ompt_mutex_test_lock && kind != ompt_mutex_test_nest_lock)
    set_waiting(true);
}

static void watched_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  set_waiting(false);
  on_mutex_acquired(kind, wait, code);
}

static void watched_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  bool begins = status == ompt_task_switch;
  bool ends = status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_detach;
  if (begins) {
    uint64_t before = waiting;
    set_waiting(false);
    waiting = before << 1;
  }
  on_task_schedule(prior, status, next);
  if (ends) {
    set_waiting(false); /* which the task left open */
    waiting >>= 1;
    set_waiting(waiting & 1);
  }
}

ompt_callback_t watched_callback(ompt_callbacks_t event)
{
  switch ((int)event) {
  case ompt_callback_sync_region_wait:
    return (ompt_callback_t)watched_sync_region_wait;
  case ompt_callback_mutex_acquire:
    return (ompt_callback_t)watched_mutex_acquire;
  case ompt_callback_mutex_acquired:
    return (ompt_callback_t)watched_mutex_acquired;
  case ompt_callback_task_schedule:
    return (ompt_callback_t)watched_task_schedule;
  default:
    return NULL;
  }
}
