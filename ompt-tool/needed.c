#include "ompt-tool/needed.h"

#include "common/profile/profile_beside.h"
#include "common/recorder/needs.h"
#include "ompt-tool/limited.h"
#include "ompt-tool/registered.h"
#include "ompt-tool/skip.h"

#define LOCKS_COUNTED (LIVE_NEED_LOCKS | LIVE_NEED_LOCK_COUNTS)

/* What the gates call. */
#define GATED(X)                                                                                                       \
  X(thread_begin, 0)                                                                                                   \
  X(parallel_begin, LIVE_NEED_REGIONS)                                                                                 \
  X(parallel_end, LIVE_NEED_REGIONS)                                                                                   \
  X(implicit_task, LIVE_NEED_REGIONS)                                                                                  \
  X(masked, LIVE_NEED_WORKS)                                                                                           \
  X(work, LIVE_NEED_WORKS)                                                                                             \
  X(dispatch, LIVE_NEED_CHUNKS)                                                                                        \
  X(sync_region, LIVE_NEED_SYNC)                                                                                       \
  X(sync_region_wait, LIVE_NEED_SYNC)                                                                                  \
  X(reduction, LIVE_NEED_SYNC)                                                                                         \
  X(mutex_acquire, LIVE_NEED_LOCKS)                                                                                    \
  X(mutex_acquired, LOCKS_COUNTED)                                                                                     \
  X(mutex_released, LIVE_NEED_LOCKS)                                                                                   \
  X(lock_init, LIVE_NEED_LOCKS)                                                                                        \
  X(lock_destroy, LIVE_NEED_LOCKS)                                                                                     \
  X(nest_lock, LOCKS_COUNTED)                                                                                          \
  X(flush, LIVE_NEED_OTHERS)                                                                                           \
  X(task_create, LIVE_NEED_TASKS)                                                                                      \
  X(dependences, LIVE_NEED_TASKS)                                                                                      \
  X(task_dependence, LIVE_NEED_TASKS)                                                                                  \
  X(task_schedule, LIVE_NEED_TASKS)                                                                                    \
  X(cancel, LIVE_NEED_OTHERS)

static struct {
#define X(event, group) __typeof__(on_##event) *event;
  GATED(X)
#undef X
} records;

/* The epoch in which the thread recorded last. */
static __thread uint32_t seen __attribute__((tls_model("initial-exec")));

/*
 * The thread has not heard of all that happened meanwhile: what it knows of the constructs that it is in may be wrong.
 * It forgets them; of those that it began before, ends may come, which are none of its.
 */
static __attribute__((noinline)) void forget_constructs(uint32_t epoch)
{
  struct skip *skip = skip_of_thread;
  seen = epoch;
  if (!skip)
    return;
  limited_take_back_chunks(skip);
  skip_set_depth(skip, 1);
  skip->too_deep = 0;
  skip->waits = skip->acquires = false;
  skip->wait_count = skip->untimed_most = 0;
  skip->newest.first = NULL;
}

static inline __attribute__((always_inline)) bool is_needed(uint32_t groups)
{
  uint64_t needs = needs_now();
  if ((needs & groups) == 0)
    return false;
  if (__builtin_expect(needs_epoch(needs) != seen, 0))
    forget_constructs(needs_epoch(needs));
  return true;
}

static void needed_thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
  if (type != ompt_thread_initial)
    registered_begin_other();
  else
    registered_begin_root();
  records.thread_begin(type, thread);
}

static void needed_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                                  unsigned requested, int flags, const void *code)
{
  registered_drop_unneeded();
  if (is_needed(LIVE_NEED_REGIONS))
    records.parallel_begin(task, frame, parallel, requested, flags, code);
}

static void needed_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
  if (is_needed(LIVE_NEED_REGIONS) && id_of(parallel) != RAW_ID_NONE)
    records.parallel_end(parallel, task, flags, code);
}

/* The begin of a region may have come before regions were needed: then its members are not told of, either. */
static void needed_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                                 unsigned team_size, unsigned index, int flags)
{
  bool unknown = endpoint == ompt_scope_begin && id_of(parallel) == RAW_ID_NONE && !(flags & ompt_task_initial);
  if (is_needed(LIVE_NEED_REGIONS) && !unknown)
    records.implicit_task(endpoint, parallel, task, team_size, index, flags);
  else if (endpoint == ompt_scope_begin && task)
    task->value = RAW_ID_IMPLICIT;
}

static void needed_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
  if (is_needed(LIVE_NEED_WORKS))
    records.masked(endpoint, parallel, task, code);
}

static void needed_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                        uint64_t count, const void *code)
{
  if (is_needed(LIVE_NEED_WORKS))
    records.work(type, endpoint, parallel, task, count, code);
}

static void needed_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
  if (is_needed(LIVE_NEED_CHUNKS))
    records.dispatch(parallel, task, kind, instance);
}

static void needed_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                               ompt_data_t *task, const void *code)
{
  if (is_needed(LIVE_NEED_SYNC))
    records.sync_region(kind, endpoint, parallel, task, code);
}

static void needed_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                                    ompt_data_t *task, const void *code)
{
  if (is_needed(LIVE_NEED_SYNC))
    records.sync_region_wait(kind, endpoint, parallel, task, code);
}

static void needed_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                             ompt_data_t *task, const void *code)
{
  if (is_needed(LIVE_NEED_SYNC))
    records.reduction(kind, endpoint, parallel, task, code);
}

static void needed_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  if (is_needed(LIVE_NEED_LOCKS))
    records.mutex_acquire(kind, hint, impl, wait, code);
}

/* Without the times of locks, callbacks of their requests and releases are not needed. */
static inline __attribute__((always_inline)) bool are_locks_counted(void)
{
  return (needs_now() & LOCKS_COUNTED) == LIVE_NEED_LOCK_COUNTS;
}

static void needed_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  if (are_locks_counted())
    profile_beside_count_lock(kind, wait, code, false);
  else if (is_needed(LIVE_NEED_LOCKS))
    records.mutex_acquired(kind, wait, code);
}

static void needed_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  if (is_needed(LIVE_NEED_LOCKS))
    records.mutex_released(kind, wait, code);
}

static void needed_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  if (is_needed(LIVE_NEED_LOCKS))
    records.lock_init(kind, hint, impl, wait, code);
}

static void needed_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  if (is_needed(LIVE_NEED_LOCKS))
    records.lock_destroy(kind, wait, code);
}

static void needed_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void *code)
{
  if (are_locks_counted() && endpoint == ompt_scope_begin)
    profile_beside_count_lock(ompt_mutex_nest_lock, wait, code, true);
  else if (is_needed(LIVE_NEED_LOCKS))
    records.nest_lock(endpoint, wait, code);
}

static void needed_flush(ompt_data_t *thread, const void *code)
{
  if (is_needed(LIVE_NEED_OTHERS))
    records.flush(thread, code);
}

static void needed_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                               int dependences, const void *code)
{
  if (is_needed(LIVE_NEED_TASKS))
    records.task_create(creator, frame, task, flags, dependences, code);
}

static void needed_dependences(ompt_data_t *task, const ompt_dependence_t *dependences, int n)
{
  if (is_needed(LIVE_NEED_TASKS))
    records.dependences(task, dependences, n);
}

static void needed_task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
  if (is_needed(LIVE_NEED_TASKS))
    records.task_dependence(source, sink);
}

static void needed_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  if (status == ompt_task_detach)
    registered_stop();
  if (is_needed(LIVE_NEED_TASKS))
    records.task_schedule(prior, status, next);
}

static void needed_cancel(ompt_data_t *task, int flags, const void *code)
{
  if (is_needed(LIVE_NEED_OTHERS))
    records.cancel(task, flags, code);
}

ompt_callback_t needed_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
  switch ((int)event) {
#define X(name, groups)                                                                                                \
  case ompt_callback_##name:                                                                                           \
    records.name = (__typeof__(records.name))callback;                                                                 \
    return (ompt_callback_t)needed_##name;
    GATED(X)
#undef X
  default:
    return callback;
  }
}

uint32_t needed_groups(ompt_callbacks_t event)
{
  switch ((int)event) {
#define X(name, groups)                                                                                                \
  case ompt_callback_##name:                                                                                           \
    return groups;
    GATED(X)
#undef X
  default:
    return 0;
  }
}
