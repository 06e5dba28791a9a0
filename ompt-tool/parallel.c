/* Threads, parallel regions and their implicit tasks. */
#include "ompt-tool/callbacks.h"

#include "common/process/session.h"
#include "common/profile/profile_origin.h"
#include "ompt-tool/omissions.h"

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
  if (omission_now())
    budget_end_thread(omitted_counts_report);
  session_thread_ends();
  recorder_thread_end();
  omission_end_thread();
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
  if (construct_needs_no_lookup(code) && !callbacks_note_origins)
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
  struct omission *omission = omission_now();
  if (omission)
    chunks_take_back(omission);
  bool inside = omission && construct_top(&omission->stack)->mute != OMIT_NOTHING;
  struct construct *region = omission ? omission_push(omission, RAW_ROW_REGION, place) : NULL;
  if (omission && !region)
    omission->stack.over++;
  bool bounded = region && !((unsigned)flags & ompt_parallel_league);
  struct budget_row *row = bounded && !inside ? row_of_region(place) : NULL;
  budget_follow_stretches();
  bool recorded = !inside && (!row || budget_take(row) > 0);
  if (recorded) {
    record_region(frame, parallel, requested, flags, code);
    return;
  }
  parallel->value = OMITTED_DATA | (place & RAW_VALUE_MASK);
  if (region)
    frame_omit(omission, region, OMIT_ALL, 0);
}

CALLBACK_REST void end_any_region(const ompt_data_t *parallel, int flags)
{
  struct omission *omission = omission_now();
  bool omitted = is_omitted(parallel);
  struct construct *region = omission ? omission_team(omission) : NULL;
  if (omission && omission->stack.over > 0) {
    omission->stack.over--;
  } else if (region && region->kind == RAW_ROW_REGION) {
    omission->stack.depth = (uint32_t)(region - omission->stack.open);
    if (region->omitted) {
      omission_note(omission, region, clock_ticks(), 1);
      untimed_decide(omission, omission->read_at);
    }
  }
  if (omitted)
    return;
  record_region_end(parallel, flags);
  if (omission && omission->untimed_most > 0)
    omission_begin_group(omission);
}

/* A thread joins a region, so it is in no other one. */
static void join(struct omission *omission, const ompt_data_t *parallel)
{
  omission->stack.depth = 1;
  omission->stack.over = 0;
  omission->waits = omission->acquires = false;
  bool omitted = is_omitted(parallel);
  struct construct *member = omission_push(omission, RAW_ROW_MEMBER, omitted ? parallel->value & RAW_VALUE_MASK : 0);
  member->key = id_of(parallel);
  struct budget_row *row = omitted ? row_of_region(member->code) : NULL;
  if (row)
    budget_join(row, false);
  if (omitted) {
    untimed_take(omission, member);
    frame_omit(omission, member, OMIT_ALL, 0);
  } else {
    omission->untimed_most = 0;
  }
}

/* Leaves the implicit task; returns whether that is to be recorded. */
static bool leave(struct omission *omission)
{
  struct construct *team = omission_team(omission);
  if (omission->stack.over > 0)
    return team->mute == OMIT_NOTHING;
  bool recorded = team->mute == OMIT_NOTHING;
  if (team->kind == RAW_ROW_MEMBER && team->omitted && !team->at_barrier) { /* when it ended is not known */
    if (!team->untimed)
      omission_note(omission, team, team->begin, 1);
    else
      omission_end(omission, team);
  }
  omission->stack.depth = (uint32_t)(team - omission->stack.open) + (team->kind != RAW_ROW_MEMBER);
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
  struct omission *omission = (unsigned)flags & ompt_task_initial ? NULL : omission_now();
  bool recorded = true;
  if (omission && endpoint == ompt_scope_end) {
    recorded = leave(omission);
  } else if (omission) {
    recorded = !is_omitted(parallel);
    if (index > 0)
      join(omission, parallel);
    else if (omission->stack.over == 0)
      set_team(omission_team(omission), parallel, team_size);
  }
  if (recorded)
    record_implicit_task(endpoint, parallel, task, team_size, index, flags);
  else if (endpoint == ompt_scope_begin && task)
    task->value = RAW_ID_IMPLICIT;
}

/* The thread is in nothing else, and may leave the clock alone. False: the region is recorded, or new. */
static inline bool omit_region(struct omission *omission, ompt_data_t *parallel, uint64_t place)
{
  struct budget_row *row = budget_row_known(place, BUDGET_CONSTRUCTS, BUDGET_REGION);
  if (!row || row->until <= 1)
    return false;
  row->until--;
  parallel->value = OMITTED_DATA | place;
  omission->untimed_most--;
  omission->untimed++;
  struct construct *region = &omission->stack.open[1];
  omission_set(region, RAW_ROW_REGION, OMIT_ALL, place);
  region->omitted = region->untimed = true;
  construct_set_depth(&omission->stack, 2);
  return true;
}

CALLBACK_REST void begin_unsure_region(const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested, int flags,
                                       const void *code)
{
  if (!omit_region(omission_of_thread, parallel, code_of_construct(code) & RAW_VALUE_MASK))
    begin_any_region(frame, parallel, requested, flags, code);
}

void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                       int flags, const void *code)
{
  (void)task;
  struct omission *omission = omission_of_thread;
  if (!omission_is_used)
    record_any_region(frame, parallel, requested, flags, code);
  else if (!omission || omission->untimed_most == 0 || omission->stack.depth > 1 ||
           (unsigned)flags & ompt_parallel_league)
    begin_any_region(frame, parallel, requested, flags, code);
  else if (!construct_needs_no_lookup(code))
    begin_unsure_region(frame, parallel, requested, flags, code);
  else if (!omit_region(omission, parallel, (uintptr_t)code))
    begin_any_region(frame, parallel, requested, flags, code);
}

/* True if the thread is in an untimed region that it has encountered, and in nothing inside of it. */
static inline bool is_in(const struct omission *omission)
{
  return omission && omission->stack.depth == 2 && omission->stack.open[1].untimed &&
         omission->stack.open[1].kind == RAW_ROW_REGION;
}

CALLBACK_REST void end_omitted_region(const ompt_data_t *parallel, int flags)
{
  struct omission *omission = omission_of_thread;
  if (omission_count(omission, &omission->stack.open[1]))
    omission->stack.depth = 1;
  else
    end_any_region(parallel, flags);
}

void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
  (void)task;
  (void)code;
  if (!omission_is_used)
    record_region_end(parallel, flags);
  else if (is_in(omission_of_thread))
    end_omitted_region(parallel, flags);
  else
    end_any_region(parallel, flags);
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned team_size,
                      unsigned index, int flags)
{
  if (!omission_is_used)
    record_implicit_task(endpoint, parallel, task, team_size, index, flags);
  else if (!is_in(omission_of_thread) || (unsigned)flags & ompt_task_initial)
    take_implicit_task(endpoint, parallel, task, team_size, index, flags);
  else if (endpoint == ompt_scope_begin && task)
    task->value = RAW_ID_IMPLICIT;
}

void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
  (void)parallel;
  (void)task;
  if (omitted_now() != OMIT_NOTHING)
    return;
  if (endpoint == ompt_scope_begin)
    recorder_emit(RAW_MASKED_BEGIN, 0, code_of(code));
  else
    recorder_emit(RAW_MASKED_END, 0, 0);
}
