/* Threads, parallel regions and their implicit tasks. */
#include "ompt-tool/callbacks.h"

#include "common/process/session.h"
#include "common/profile/profile_origin.h"
#include "ompt-tool/skip.h"
#include "ompt-tool/untimed.h"

/* Records of a region on a thread, with its barrier. */
#define REGION_RECORDS 6u

bool callbacks_note_origins;

/* The record of its beginning is the thread's newest. */
void origin_note(uint64_t id, const void *code)
{
  const struct recorder *recorder = recorder_self;
  if (id <= RAW_VALUE_MASK && (uintptr_t)recorder > (uintptr_t)RECORDER_NONE)
    profile_origin_note(id, (struct profile_origin){code_of_construct(code), recorder->base});
}

void on_thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
  (void)thread;
  recorder_thread_begin(type);
}

void on_thread_end(ompt_data_t *thread)
{
  (void)thread;
  if (skip_now())
    budget_end_thread(left_out_tell);
  session_thread_ends();
  recorder_thread_end();
  skip_end_thread();
}

/* The initial task is called by no runtime. */
static unsigned outer_detail(const ompt_frame_t *frame)
{
  return frame && !frame->exit_frame.ptr ? RAW_PARALLEL_OUTER : 0u;
}

static unsigned parallel_detail(int flags)
{
  return ((unsigned)flags & ompt_parallel_league ? RAW_PARALLEL_LEAGUE : 0u) |
         ((unsigned)flags & ompt_parallel_invoker_runtime ? RAW_PARALLEL_RUNTIME : 0u);
}

CALLBACK_REST void record_region_slowly(ompt_data_t *parallel, uint64_t size, unsigned detail, const void *code)
{
  recorder_emit_new(RAW_PARALLEL_BEGIN, detail, code_of_construct(code), size << RAW_VALUE_BITS, &parallel->value);
  if (callbacks_note_origins)
    origin_note(parallel->value, code);
}

CALLBACK_PART void record_region(const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested, int flags,
                                 const void *code)
{
  unsigned detail = parallel_detail(flags) | outer_detail(frame);
  uint64_t size = requested < 0xffff ? requested : 0xffff;
  if (code_of_construct_is_sure(code) && !callbacks_note_origins)
    recorder_emit_new(RAW_PARALLEL_BEGIN, detail, (uintptr_t)code, size << RAW_VALUE_BITS, &parallel->value);
  else
    record_region_slowly(parallel, size, detail, code);
}

CALLBACK_REST void record_any_region(const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested, int flags,
                                     const void *code)
{
  record_region(frame, parallel, requested, flags, code);
}

CALLBACK_PART void record_region_end(const ompt_data_t *parallel, int flags)
{
  recorder_emit(RAW_PARALLEL_END, parallel_detail(flags), id_of(parallel));
}

CALLBACK_PART void record_implicit_task(ompt_scope_endpoint_t endpoint, const ompt_data_t *parallel, ompt_data_t *task,
                                        unsigned team_size, unsigned index, int flags)
{
  unsigned detail = (unsigned)flags & 3u;
  if (endpoint == ompt_scope_end) {
    recorder_emit(RAW_IMPLICIT_END, detail, 0);
    return;
  }
  if (task)
    task->value = RAW_ID_IMPLICIT;
  recorder_emit3(RAW_IMPLICIT_BEGIN, detail, id_of(parallel), (uint64_t)index << 32 | team_size);
}

static struct budget_row *row_of_region(uint64_t place)
{
  return budget_row(place & RAW_VALUE_MASK, BUDGET_CONSTRUCTS, BUDGET_REGION, REGION_RECORDS);
}

CALLBACK_REST void begin_any_region(const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested, int flags,
                                    const void *code)
{
  uint64_t place = code_of_construct(code);
  struct skip *skip = skip_now();
  if (skip)
    chunks_take_back(skip);
  bool inside = skip && construct_top(&skip->stack)->mute != SKIP_NOTHING;
  struct construct *region = skip ? skip_push(skip, RAW_ROW_REGION, place) : NULL;
  if (skip && !region)
    skip->stack.over++;
  bool bounded = region && !((unsigned)flags & ompt_parallel_league);
  struct budget_row *row = bounded && !inside ? row_of_region(place) : NULL;
  budget_follow_stretches();
  bool recorded = !inside && (!row || budget_take(row) > 0);
  if (recorded) {
    record_region(frame, parallel, requested, flags, code);
    return;
  }
  parallel->value = BUDGET_SKIPPED | (place & RAW_VALUE_MASK);
  if (region)
    skip_this(skip, region, SKIP_ALL, 0);
}

CALLBACK_REST void end_any_region(const ompt_data_t *parallel, int flags)
{
  struct skip *skip = skip_now();
  bool skipped = is_skipped(parallel);
  struct construct *region = skip ? skip_team(skip) : NULL;
  if (skip && skip->stack.over > 0) {
    skip->stack.over--;
  } else if (region && region->kind == RAW_ROW_REGION) {
    skip->stack.depth = (uint32_t)(region - skip->stack.open);
    if (region->skipped) {
      skip_note(skip, region, clock_ticks(), 1);
      untimed_decide(skip, skip->read_at);
    }
  }
  if (skipped)
    return;
  record_region_end(parallel, flags);
  if (skip && skip->untimed_most > 0)
    skip_begin_group(skip);
}

/* A thread joins a region, so it is in no other one. */
static void join(struct skip *skip, const ompt_data_t *parallel)
{
  skip->stack.depth = 1;
  skip->stack.over = 0;
  skip->waits = skip->acquires = false;
  bool skipped = is_skipped(parallel);
  struct construct *member = skip_push(skip, RAW_ROW_MEMBER, skipped ? parallel->value & RAW_VALUE_MASK : 0);
  member->key = id_of(parallel);
  struct budget_row *row = skipped ? row_of_region(member->code) : NULL;
  if (row)
    budget_join(row, false);
  if (skipped) {
    untimed_take(skip, member);
    skip_this(skip, member, SKIP_ALL, 0);
  } else {
    skip->untimed_most = 0;
  }
}

/* Leaves the implicit task; returns whether that is to be recorded. */
static bool leave(struct skip *skip)
{
  struct construct *team = skip_team(skip);
  if (skip->stack.over > 0)
    return team->mute == SKIP_NOTHING;
  bool recorded = team->mute == SKIP_NOTHING;
  if (team->kind == RAW_ROW_MEMBER && team->skipped && !team->at_barrier) { /* when it ended is not known */
    if (!team->untimed)
      skip_note(skip, team, team->begin, 1);
    else
      skip_end(skip, team);
  }
  skip->stack.depth = (uint32_t)(team - skip->stack.open) + (team->kind != RAW_ROW_MEMBER);
  return recorded;
}

static void set_team(struct construct *region, const ompt_data_t *parallel, unsigned team_size)
{
  region->key = id_of(parallel);
  region->alone = region->kind == RAW_ROW_REGION && team_size == 1;
}

CALLBACK_REST void take_implicit_task(ompt_scope_endpoint_t endpoint, const ompt_data_t *parallel, ompt_data_t *task,
                                      unsigned team_size, unsigned index, int flags)
{
  struct skip *skip = (unsigned)flags & ompt_task_initial ? NULL : skip_now();
  bool recorded = true;
  if (skip && endpoint == ompt_scope_end) {
    recorded = leave(skip);
  } else if (skip) {
    recorded = !is_skipped(parallel);
    if (index > 0)
      join(skip, parallel);
    else if (skip->stack.over == 0)
      set_team(skip_team(skip), parallel, team_size);
  }
  if (recorded)
    record_implicit_task(endpoint, parallel, task, team_size, index, flags);
  else if (endpoint == ompt_scope_begin && task)
    task->value = RAW_ID_IMPLICIT;
}

/* The thread is in nothing else, and may leave the clock alone. False: the region is recorded, or new. */
static inline bool omit_region(struct skip *skip, ompt_data_t *parallel, uint64_t place)
{
  struct budget_row *row = budget_row_known(place, BUDGET_CONSTRUCTS, BUDGET_REGION);
  if (!row || row->until <= 1)
    return false;
  row->until--;
  parallel->value = BUDGET_SKIPPED | place;
  skip->untimed_most--;
  skip->untimed++;
  struct construct *region = &skip->stack.open[1];
  skip_set(region, RAW_ROW_REGION, SKIP_ALL, place);
  region->skipped = region->untimed = true;
  construct_set_depth(&skip->stack, 2);
  return true;
}

CALLBACK_REST void begin_unsure_region(const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested, int flags,
                                       const void *code)
{
  if (!omit_region(skip_of_thread, parallel, code_of_construct(code) & RAW_VALUE_MASK))
    begin_any_region(frame, parallel, requested, flags, code);
}

void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                       int flags, const void *code)
{
  (void)task;
  struct skip *skip = skip_of_thread;
  if (!skip_is_used)
    record_any_region(frame, parallel, requested, flags, code);
  else if (!skip || skip->untimed_most == 0 || skip->stack.depth > 1 || (unsigned)flags & ompt_parallel_league)
    begin_any_region(frame, parallel, requested, flags, code);
  else if (!code_of_construct_is_sure(code))
    begin_unsure_region(frame, parallel, requested, flags, code);
  else if (!omit_region(skip, parallel, (uintptr_t)code))
    begin_any_region(frame, parallel, requested, flags, code);
}

/* Whether the thread is in such a region that it has encountered, and in nothing inside of that. */
static inline bool is_in(const struct skip *skip)
{
  return skip && skip->stack.depth == 2 && skip->stack.open[1].untimed && skip->stack.open[1].kind == RAW_ROW_REGION;
}

CALLBACK_REST void end_omitted_region(const ompt_data_t *parallel, int flags)
{
  struct skip *skip = skip_of_thread;
  if (skip_count(skip, &skip->stack.open[1]))
    skip->stack.depth = 1;
  else
    end_any_region(parallel, flags);
}

void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
  (void)task;
  (void)code;
  if (!skip_is_used)
    record_region_end(parallel, flags);
  else if (is_in(skip_of_thread))
    end_omitted_region(parallel, flags);
  else
    end_any_region(parallel, flags);
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned team_size,
                      unsigned index, int flags)
{
  if (!skip_is_used)
    record_implicit_task(endpoint, parallel, task, team_size, index, flags);
  else if (!is_in(skip_of_thread) || (unsigned)flags & ompt_task_initial)
    take_implicit_task(endpoint, parallel, task, team_size, index, flags);
  else if (endpoint == ompt_scope_begin && task)
    task->value = RAW_ID_IMPLICIT;
}

void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
  (void)parallel;
  (void)task;
  if (skip_muted() != SKIP_NOTHING)
    return;
  if (endpoint == ompt_scope_begin)
    recorder_emit(RAW_MASKED_BEGIN, 0, code_of(code));
  else
    recorder_emit(RAW_MASKED_END, 0, 0);
}
