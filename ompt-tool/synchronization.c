#include "common/recorder/wait_stacks.h"
#include "ompt-tool/callbacks.h"

/*
 * Runtimes report a barrier or a taskwait and its wait one right after the other, at the begin and at the end: one
 * record tells both. Between a taskgroup and its wait is all that the program does in it.
 */
static bool has_wait_of_its_own(ompt_sync_region_t kind)
{
  return kind == ompt_sync_region_taskgroup;
}

/* All that the interface knows, and no monitor of raw_trace.h. */
#define MUTEX_KINDS (RAW_MUTEX_MONITOR - 1u)

CALLBACK_REST void begin_sync_region(ompt_sync_region_t kind, const void *code)
{
  recorder_emit_first(RAW_SYNC_BEGIN, kind, code_of(code));
}

CALLBACK_REST void taskgroup_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, const void *code)
{
  if (endpoint == ompt_scope_begin) /* only a taskloop's comes with an outlined function */
    recorder_emit(RAW_SYNC_BEGIN, kind, code_of_construct(code));
  else
    recorder_emit(RAW_SYNC_END, kind, 0);
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    const void *code)
{
  (void)parallel;
  (void)task;
  if (has_wait_of_its_own(kind))
    taskgroup_region(kind, endpoint, code);
  else if (endpoint != ompt_scope_begin)
    recorder_emit_second(RAW_WAIT_END, RAW_BARRIER_END, RAW_SYNC_END, kind);
  else if (code_is_sure(code))
    recorder_emit_first(RAW_SYNC_BEGIN, kind, (uintptr_t)code);
  else
    begin_sync_region(kind, code);
}

/* A worker's end of a region's last barrier comes as late as its next region: it has waited for that, too. */
static bool is_late(const ompt_data_t *parallel, const void *code)
{
  return !parallel && !code;
}

static inline __attribute__((always_inline)) void emit_end_of_wait(ompt_sync_region_t kind)
{
  if (has_wait_of_its_own(kind))
    recorder_emit(RAW_WAIT_END, kind, 0);
  else
    recorder_emit_first(RAW_WAIT_END, kind, 0);
}

/* Callbacks with stacks of waits are ways of their own: those without pay for a comparison alone. */
CALLBACK_REST void end_wait_with_stack(ompt_sync_region_t kind)
{
  uint64_t before = wait_stacks_before();
  emit_end_of_wait(kind);
  wait_stacks_after(before);
}

CALLBACK_REST void acquired_with_stack(ompt_mutex_t kind, ompt_wait_id_t wait)
{
  uint64_t before = wait_stacks_before();
  recorder_emit(RAW_MUTEX_ACQUIRED, kind, wait);
  wait_stacks_after(before);
}

void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                         ompt_data_t *task, const void *code)
{
  (void)task;
  if (endpoint != ompt_scope_begin) {
    if (__builtin_expect(wait_stacks_are_wanted(), 0) && !is_late(parallel, code))
      end_wait_with_stack(kind);
    else
      emit_end_of_wait(kind);
  } else if (has_wait_of_its_own(kind)) {
    recorder_emit(RAW_WAIT_BEGIN, kind, 0);
  } else {
    recorder_emit_second(RAW_SYNC_BEGIN, RAW_BARRIER_BEGIN, RAW_WAIT_BEGIN, kind);
  }
}

void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                  const void *code)
{
  (void)kind;
  (void)parallel;
  (void)task;
  if (endpoint == ompt_scope_begin)
    recorder_emit(RAW_REDUCTION_BEGIN, 0, code_of(code));
  else
    recorder_emit(RAW_REDUCTION_END, 0, 0);
}

CALLBACK_REST void acquire(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  recorder_emit3(RAW_MUTEX_ACQUIRE, kind, wait, code_of(code));
}

void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  (void)hint;
  (void)impl;
  if (code_is_sure(code))
    recorder_emit3(RAW_MUTEX_ACQUIRE, kind & MUTEX_KINDS, wait, (uintptr_t)code);
  else
    acquire(kind, wait, code);
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  if (__builtin_expect(wait_stacks_are_wanted(), 0))
    acquired_with_stack(kind, wait);
  else
    recorder_emit(RAW_MUTEX_ACQUIRED, kind, wait);
}

void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  recorder_emit(RAW_MUTEX_RELEASED, kind, wait);
}

void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  (void)hint;
  (void)impl;
  recorder_emit3(RAW_LOCK_INIT, kind, wait, code_of(code));
}

void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  recorder_emit(RAW_LOCK_DESTROY, kind, wait);
}

void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  recorder_emit(endpoint == ompt_scope_begin ? RAW_NEST_BEGIN : RAW_NEST_END, 0, wait);
}

/* on_dependences ends it. */
void on_doacross_wait(const void *code)
{
  recorder_emit(RAW_DOACROSS_WAIT, 0, code_of(code));
}

void on_flush(ompt_data_t *thread, const void *code)
{
  (void)thread;
  recorder_emit(RAW_FLUSH, 0, code_of(code));
}
