/* Barriers, taskwaits, taskgroups, reductions, flushes, and waits for iterations of doacross loops. */
#include "ompt-tool/callbacks.h"

#include "common/recorder/stack_record.h"
#include "ompt-tool/omissions.h"

/*
 * Runtimes report a barrier or a taskwait and its wait one right after the other, at the begin and at the end. One
 * record stands for both. Between a taskgroup and its wait is all that the program does in it.
 */
static bool has_wait_of_its_own(ompt_sync_region_t kind)
{
  return kind == ompt_sync_region_taskgroup;
}

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

CALLBACK_PART void record_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, const void *code)
{
  if (has_wait_of_its_own(kind))
    taskgroup_region(kind, endpoint, code);
  else if (endpoint != ompt_scope_begin)
    recorder_emit_second(RAW_WAIT_END, RAW_BARRIER_END, RAW_SYNC_END, kind);
  else if (code_needs_no_lookup(code))
    recorder_emit_first(RAW_SYNC_BEGIN, kind, (uintptr_t)code);
  else
    begin_sync_region(kind, code);
}

/* Barriers that end a work-sharing construct, or follow one that was cancelled. */
static bool is_barrier(ompt_sync_region_t kind)
{
  return kind != ompt_sync_region_taskwait && kind != ompt_sync_region_taskgroup && kind != ompt_sync_region_reduction;
}

/* Those at a region's end; for some runtimes other implicit ones are called the same. */
static bool may_be_last(ompt_sync_region_t kind)
{
  return kind == ompt_sync_region_barrier_implicit || kind == ompt_sync_region_barrier_implicit_parallel ||
         kind == ompt_sync_region_barrier_teams;
}

/* A thread that joined a omitted region may be at its end. */
static void arrive(struct omission *omission, struct construct *member)
{
  if (member->at_barrier && !member->untimed)
    omission_note(omission, member, clock_ticks(), 0);
  else if (!member->at_barrier) {
    omission_end(omission, member);
    if (!member->untimed)
      untimed_decide(omission, omission->read_at);
  }
  member->at_barrier = true;
}

/*
 * A barrier begins. The barrier of an omitted work-sharing construct is omitted with it. Some runtimes do not say whose
 * a barrier is: if it follows at once, it is the construct's. A construct that was cancelled has no other end.
 */
static void begin_barrier(struct omission *omission, ompt_sync_region_t kind)
{
  if (construct_top(&omission->stack)->kind == RAW_ROW_WORK && kind != ompt_sync_region_barrier_implementation)
    work_end(omission);
  struct construct *top = construct_top(&omission->stack);
  if (top->kind == CONSTRUCT_AFTER)
    top->over = kind == ompt_sync_region_barrier_explicit || kind == ompt_sync_region_barrier_implicit_parallel;
  if (top->kind == RAW_ROW_MEMBER && top->omitted && may_be_last(kind))
    arrive(omission, top);
}

/* A barrier's end. The barrier of a copyprivate comes before the construct's own. */
static void end_barrier(struct omission *omission, ompt_sync_region_t kind)
{
  struct construct *top = construct_top(&omission->stack);
  if (!top->untimed)
    omission_note(omission, top, clock_ticks(), 0);
  if (kind == ompt_sync_region_barrier_implementation)
    top->over = true;
  else
    omission->stack.depth--;
}

CALLBACK_REST void take_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, const void *code)
{
  struct omission *omission = omission_self();
  if (omission && construct_top(&omission->stack)->kind == RAW_ROW_REGION &&
      construct_top(&omission->stack)->mute == OMIT_ALL)
    return;
  if (omission && construct_top(&omission->stack)->kind == CONSTRUCT_TASKS)
    omission_leave_over(omission);
  if (omission && is_barrier(kind) && endpoint == ompt_scope_begin)
    begin_barrier(omission, kind);
  omission = omission_now();
  bool recorded = !omission || construct_top(&omission->stack)->mute == OMIT_NOTHING;
  if (omission && is_barrier(kind) && endpoint == ompt_scope_end &&
      construct_top(&omission->stack)->kind == CONSTRUCT_AFTER)
    end_barrier(omission, kind);
  if (recorded)
    record_sync_region(kind, endpoint, code);
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    const void *code)
{
  (void)parallel;
  (void)task;
  if (!omission_is_used)
    record_sync_region(kind, endpoint, code);
  else
    take_sync_region(kind, endpoint, code);
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

CALLBACK_PART void record_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, const ompt_data_t *parallel,
                               const void *code)
{
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

CALLBACK_REST void take_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, const ompt_data_t *parallel,
                             const void *code)
{
  struct omission *omission = omission_now();
  if (omission)
    omission->waits = endpoint == ompt_scope_begin;
  if (!omission || construct_top(&omission->stack)->mute == OMIT_NOTHING)
    record_wait(kind, endpoint, parallel, code);
}

void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                         ompt_data_t *task, const void *code)
{
  (void)task;
  if (!omission_is_used)
    record_wait(kind, endpoint, parallel, code);
  else
    take_wait(kind, endpoint, parallel, code);
}

void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                  const void *code)
{
  (void)kind;
  (void)parallel;
  (void)task;
  if (omitted_now() != OMIT_NOTHING)
    return;
  if (endpoint == ompt_scope_begin)
    recorder_emit(RAW_REDUCTION_BEGIN, 0, code_of(code));
  else
    recorder_emit(RAW_REDUCTION_END, 0, 0);
}

/* on_dependences ends it. */
void on_doacross_wait(const void *code)
{
  if (omitted_now() == OMIT_NOTHING)
    recorder_emit(RAW_DOACROSS_WAIT, 0, code_of(code));
}

void on_flush(ompt_data_t *thread, const void *code)
{
  (void)thread;
  if (omitted_now() == OMIT_NOTHING)
    recorder_emit(RAW_FLUSH, 0, code_of(code));
}
