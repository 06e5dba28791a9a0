#include "ompt-tool/gated_callbacks.h"

#include "common/profile/live_profile.h"
#include "common/recorder/live.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/preloaded.h"
#include "common/recorder/recording.h"
#include "ompt-tool/callbacks.h"
#include "ompt-tool/omissions.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

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

enum state {
  OPEN,      /* what nobody needs may go where a region begins */
  SWITCHING, /* a thread takes callbacks away, or puts them back */
  FIXED      /* none goes any more */
};

static struct registered_runtime runtime;
static ompt_get_task_info_t get_task_info;
static _Atomic enum state state;
static atomic_int switching; /* the process whose thread is switching: that may be a parent; 0: none */
static atomic_uint roots;    /* begun so far */
static atomic_bool others;   /* any other thread has begun */
static atomic_bool surplus;  /* there may be a callback that nobody needs */

static const struct registered_callback *list;
static size_t list_count;
static bool there[REGISTERED_MOST]; /* registered; of the thread that is switching */

/* At the begin of a region outside of all others. */
static bool may_go(ompt_callbacks_t event)
{
  switch ((int)event) {
  case ompt_callback_parallel_begin:
  case ompt_callback_parallel_end:
  case ompt_callback_masked:
  case ompt_callback_work:
  case ompt_callback_dispatch:
  case ompt_callback_mutex_acquire:
  case ompt_callback_mutex_acquired:
  case ompt_callback_mutex_released:
  case ompt_callback_nest_lock:
  case ompt_callback_lock_init:
  case ompt_callback_lock_destroy:
  case ompt_callback_flush:
  case ompt_callback_task_create:
  case ompt_callback_dependences:
  case ompt_callback_task_dependence:
  case ompt_callback_cancel:
    return true;
  case ompt_callback_implicit_task:
  case ompt_callback_sync_region:
  case ompt_callback_sync_region_wait:
  case ompt_callback_reduction:
    return !atomic_load(&others);
  default:
    return false;
  }
}

/* Where no thread of ours hears of new needs, the program's own must, with what they record. */
static bool is_needed(const struct registered_callback *callback, uint32_t mask)
{
  return callback->groups == 0 || (callback->groups & mask) != 0 || !live_has_thread();
}

static void put(size_t i, bool present)
{
  if (there[i] != present)
    runtime.set_callback(list[i].event, present ? list[i].callback : NULL);
  there[i] = present;
}

/* In a child of a process one of whose threads was switching, nobody is. */
static bool is_stuck(enum state now)
{
  int who = atomic_load(&switching);
  return now == SWITCHING && who != 0 && who != getpid();
}

/* Begins to switch, and returns the state before. */
static enum state begin_switching(void)
{
  for (;;) {
    enum state now = atomic_load(&state), before = is_stuck(now) ? FIXED : now;
    if ((now != SWITCHING || before == FIXED) && atomic_compare_exchange_strong(&state, &now, SWITCHING)) {
      atomic_store(&switching, getpid());
      return before;
    }
    sched_yield();
  }
}

static void end_switching(enum state after)
{
  unsigned count = 0;
  for (size_t i = 0; i < list_count; i++)
    count += there[i] && list[i].groups != 0;
  live_report_callbacks(count);
  atomic_store(&switching, 0);
  atomic_store(&state, after);
}

/* What is measured has changed: puts back what is needed. */
static void follow_needs(void)
{
  enum state before = begin_switching();
  uint32_t mask = needs_mask(needs_now());
  bool more = false;
  for (size_t i = 0; i < list_count; i++) {
    bool needed = is_needed(&list[i], mask);
    if (needed || runtime.anytime)
      put(i, needed);
    more |= there[i] && !needed && may_go(list[i].event);
  }
  for (size_t i = 0; more && i < list_count; i++)
    if (list[i].event == ompt_callback_parallel_begin) /* there the others go, and it with them */
      put(i, true);
  atomic_store(&surplus, more);
  end_switching(before);
}

void registered_start(struct registered_runtime given, const struct registered_callback *callbacks, size_t count)
{
  list = callbacks;
  list_count = count < REGISTERED_MOST ? count : REGISTERED_MOST;
  runtime = given;
  get_task_info = (ompt_get_task_info_t)runtime.lookup("ompt_get_task_info");
  recording_watch_needs(follow_needs);
  follow_needs();
}

/* The calling thread, the only root, is in no region and no explicit task. */
static bool is_outside(void)
{
  int flags = 0;
  return get_task_info && get_task_info(0, &flags, NULL, NULL, NULL, NULL) == 2 &&
         ((unsigned)flags & ompt_task_initial) != 0;
}

static __attribute__((noinline)) void drop_unneeded(void)
{
  enum state open = OPEN;
  if (atomic_load(&roots) != 1 || !is_outside() || !atomic_compare_exchange_strong(&state, &open, SWITCHING))
    return;
  atomic_store(&switching, getpid());
  uint32_t mask = needs_mask(needs_now());
  for (size_t i = 0; atomic_load(&roots) == 1 && i < list_count; i++)
    if (!is_needed(&list[i], mask) && may_go(list[i].event))
      put(i, false);
  atomic_store(&surplus, false);
  end_switching(OPEN);
}

void registered_drop_unneeded(void)
{
  if (__builtin_expect(atomic_load_explicit(&surplus, memory_order_relaxed), 0))
    drop_unneeded();
}

void registered_begin_other(void)
{
  atomic_store(&others, true);
}

/* Waits, for less than a microsecond, where another thread is switching. */
void registered_stop(void)
{
  enum state now;
  while (runtime.set_callback && (now = atomic_load(&state)) != FIXED)
    if (now == SWITCHING && !is_stuck(now))
      sched_yield();
    else
      atomic_compare_exchange_strong(&state, &now, FIXED);
}

void registered_begin_root(void)
{
  if (atomic_fetch_add(&roots, 1) > 0)
    registered_stop();
}
