/* Parallel regions, work-sharing constructs and their barriers. */
#include "ompt-tool/limited.h"

#include "ompt-tool/agreement.h"
#include "ompt-tool/skip.h"
#include "ompt-tool/untimed.h"

/* Records of an instance, on a thread; with its barrier. */
#define REGION_RECORDS 6u
#define WORK_RECORDS   4u

static struct budget_row *row_of_region(uint64_t place)
{
  return budget_row(place & RAW_VALUE_MASK, BUDGET_CONSTRUCTS, LIMITED_REGION, REGION_RECORDS);
}

void limited_thread_end(ompt_data_t *thread)
{
  skip_now();
  budget_end_thread(left_out_tell);
  on_thread_end(thread);
  skip_end_thread();
}

void limited_region_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                          int flags, const void *code)
{
  uint64_t place = code_of_construct(code);
  struct skip *skip = skip_now();
  if (skip)
    limited_take_back_chunks(skip);
  bool inside = skip && skip_top(skip)->mute != SKIP_NOTHING;
  struct skip_frame *region = skip ? skip_push(skip, SKIP_REGION, place) : NULL;
  if (skip && !region)
    skip->too_deep++;
  bool bounded = region && !((unsigned)flags & ompt_parallel_league);
  struct budget_row *row = bounded && !inside ? row_of_region(place) : NULL;
  budget_follow_stretches();
  bool recorded = !inside && (!row || budget_take(row) > 0);
  if (recorded) {
    on_parallel_begin(task, frame, parallel, requested, flags, code);
    return;
  }
  parallel->value = LIMITED_SKIPPED | (place & RAW_VALUE_MASK);
  if (region)
    skip_this(skip, region, SKIP_ALL, 0);
}

void limited_region_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
  struct skip *skip = skip_now();
  bool skipped = limited_is_skipped(parallel);
  struct skip_frame *region = skip ? skip_team(skip) : NULL;
  if (skip && skip->too_deep > 0) {
    skip->too_deep--;
  } else if (region && region->kind == SKIP_REGION) {
    skip->depth = (uint32_t)(region - skip->frames);
    if (region->skipped) {
      skip_note(skip, region, clock_ticks(), 1);
      untimed_decide(skip, skip->read_at);
    }
  }
  if (skipped)
    return;
  on_parallel_end(parallel, task, flags, code);
  if (skip && skip->untimed_most > 0)
    skip_begin_group(skip);
}

/* A thread joins a region, so it is in no other one. */
static void join(struct skip *skip, const ompt_data_t *parallel)
{
  skip->depth = 1;
  skip->too_deep = 0;
  skip->waits = skip->acquires = false;
  bool skipped = limited_is_skipped(parallel);
  struct skip_frame *member = skip_push(skip, SKIP_MEMBER, skipped ? parallel->value & RAW_VALUE_MASK : 0);
  member->id = id_of(parallel);
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
  struct skip_frame *team = skip_team(skip);
  if (skip->too_deep > 0)
    return team->mute == SKIP_NOTHING;
  bool recorded = team->mute == SKIP_NOTHING;
  if (team->kind == SKIP_MEMBER && team->skipped && !team->arrived) { /* when it ended is not known */
    if (!team->untimed)
      skip_note(skip, team, team->begin, 1);
    else
      skip_end(skip, team);
  }
  skip->depth = (uint32_t)(team - skip->frames) + (team->kind != SKIP_MEMBER);
  return recorded;
}

static void set_team(struct skip_frame *region, const ompt_data_t *parallel, unsigned team_size)
{
  region->id = id_of(parallel);
  region->alone = region->kind == SKIP_REGION && team_size == 1;
}

void limited_any_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                               unsigned team_size, unsigned index, int flags)
{
  struct skip *skip = (unsigned)flags & ompt_task_initial ? NULL : skip_now();
  bool recorded = true;
  if (skip && endpoint == ompt_scope_end) {
    recorded = leave(skip);
  } else if (skip) {
    recorded = !limited_is_skipped(parallel);
    if (index > 0)
      join(skip, parallel);
    else if (skip->too_deep == 0)
      set_team(skip_team(skip), parallel, team_size);
  }
  if (recorded)
    on_implicit_task(endpoint, parallel, task, team_size, index, flags);
  else if (endpoint == ompt_scope_begin && task)
    task->value = RAW_ID_IMPLICIT;
}

static bool is_loop(ompt_work_t type)
{
  return type == ompt_work_loop || (type >= ompt_work_loop_static && type <= ompt_work_loop_other);
}

extension_unreported_chunks *limited_unreported_chunks;

void limited_take_back_chunks(struct skip *skip)
{
  struct extension_chunks *chunks = skip->chunks;
  if (__builtin_expect(!skip->lent && !skip->counted, 1))
    return;
  if (skip->lent)
    budget_take_back(skip->lent);
  else
    chunks->place.left = 0;
  if (skip->counted)
    skip->counted->parts += chunks->count;
  else if (chunks->count > 0)
    skip_chunks(skip, ompt_dispatch_ws_loop_chunk, chunks->first, chunks->iterations, chunks->count);
  skip->lent = NULL;
  skip->counted = NULL;
  chunks->count = 0;
  chunks->iterations = 0;
}

/* The rest of the chunks of a loop that is left out need only be counted. */
static void count_chunks(struct skip *skip, struct skip_frame *work)
{
  if (!skip->chunks)
    skip->chunks = limited_unreported_chunks();
  skip->chunks->place = (struct extension_unreported){(const void *)work->code, UINT32_MAX};
  skip->counted = work;
}

static void lend_chunks(struct skip *skip, struct budget_row *row)
{
  if (!limited_unreported_chunks || row->until < BUDGET_LOAN)
    return;
  if (!skip->chunks)
    skip->chunks = limited_unreported_chunks();
  budget_lend(row, &skip->chunks->place);
  skip->lent = row->borrower ? row : NULL;
}

/* Distribute and taskloop have parts that other teams and tasks execute. */
static bool is_bounded(ompt_work_t type)
{
  return type != ompt_work_distribute && type != ompt_work_taskloop;
}

/* Whether the team's next instance of a work-sharing construct is recorded. row: NULL: there is no memory. */
static bool is_taken(struct budget_row *row, struct skip_frame *frame)
{
  if (frame->alone)
    return !row || budget_take(row) > 0;
  uint64_t team = frame->id;
  uint32_t instance = frame->works++;
  enum agreement agreement = agreement_of(team, instance);
  if (agreement == AGREEMENT_OPEN)
    return agreement_decide(team, instance, !row || budget_take(row) > 0);
  if (row)
    budget_join(row, agreement == AGREEMENT_YES);
  return agreement == AGREEMENT_YES;
}

/* Begins a work-sharing construct; returns whether it is recorded. */
static bool begin_work(struct skip *skip, ompt_work_t type, uint64_t code)
{
  limited_take_back_chunks(skip);
  struct skip_frame *team = skip_team(skip);
  bool inside = skip_top(skip)->mute != SKIP_NOTHING;
  struct skip_frame *work = skip->too_deep > 0 ? NULL : skip_push(skip, SKIP_WORK, code);
  if (!work)
    return !inside;
  unsigned kind = limited_kind(type);
  if (inside) {
    skip_this(skip, work, work->mute, kind);
    return false;
  }
  struct budget_row *row = budget_row(code, BUDGET_CONSTRUCTS, kind, WORK_RECORDS);
  if (!is_taken(row, team)) {
    untimed_take(skip, work);
    skip_this(skip, work, SKIP_ALL_BUT_TASKS, kind);
    return false;
  }
  work->chunks = is_loop(type) ? budget_row(code, BUDGET_CHUNKS, 0, 1) : NULL;
  return true;
}

/* Ends the work-sharing construct in which the thread is; returns whether it was recorded. */
static bool end_work(struct skip *skip)
{
  limited_take_back_chunks(skip);
  uint32_t i = skip->depth - 1;
  while (skip->frames[i].kind > SKIP_WORK)
    i--;
  struct skip_frame *work = &skip->frames[i];
  if (work->kind != SKIP_WORK || skip->too_deep > 0)
    return skip_top(skip)->mute == SKIP_NOTHING;
  skip->depth = i;
  if (!work->skipped)
    return true;
  skip_end(skip, work);
  if (!(work->detail & RAW_SKIPPED_INSIDE)) {
    if (!work->untimed)
      untimed_decide(skip, skip->read_at);
    work->kind = SKIP_AFTER;
    work->over = true;
    skip_set_depth(skip, i + 1);
  }
  return false;
}

void limited_any_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                      uint64_t count, const void *code)
{
  struct skip *skip = skip_now();
  if (skip && !is_bounded(type)) {
    if (skip_top(skip)->mute == SKIP_NOTHING)
      on_work(type, endpoint, parallel, task, count, code);
    return;
  }
  if (!skip || (endpoint != ompt_scope_end && begin_work(skip, type, code_of_construct(code))))
    on_work(type, skip && endpoint == ompt_scope_beginend ? ompt_scope_begin : endpoint, parallel, task, count, code);
  if (skip && endpoint != ompt_scope_begin && end_work(skip))
    on_work(type, ompt_scope_end, parallel, task, count, code);
}

void limited_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
  struct skip *skip = skip_now();
  struct skip_frame *top = skip ? skip_top(skip) : NULL;
  if (top && top->mute != SKIP_NOTHING) {
    if (top->kind != SKIP_WORK)
      return;
    limited_take_back_chunks(skip);
    top->parts++;
    if (limited_unreported_chunks && kind == ompt_dispatch_ws_loop_chunk)
      count_chunks(skip, top);
    return;
  }
  const ompt_dispatch_chunk_t *chunk = kind == ompt_dispatch_ws_loop_chunk ? instance.ptr : NULL;
  if (skip)
    limited_take_back_chunks(skip);
  if (chunk && top && top->kind == SKIP_WORK && top->chunks && !budget_take(top->chunks)) {
    skip_chunks(skip, kind, chunk->start, chunk->iterations, 1);
    lend_chunks(skip, top->chunks);
  } else {
    on_dispatch(parallel, task, kind, instance);
  }
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

/* A thread that joined a skipped region may be at its end. */
static void arrive(struct skip *skip, struct skip_frame *member)
{
  if (member->arrived && !member->untimed)
    skip_note(skip, member, clock_ticks(), 0);
  else if (!member->arrived) {
    skip_end(skip, member);
    if (!member->untimed)
      untimed_decide(skip, skip->read_at);
  }
  member->arrived = true;
}

/*
 * A barrier begins. The one of a skipped work-sharing construct is left out with it; some runtimes do not say whose a
 * barrier is: the one that follows at once is the construct's. A construct that was cancelled has no other end.
 */
static void begin_barrier(struct skip *skip, ompt_sync_region_t kind)
{
  if (skip_top(skip)->kind == SKIP_WORK && kind != ompt_sync_region_barrier_implementation)
    end_work(skip);
  struct skip_frame *top = skip_top(skip);
  if (top->kind == SKIP_AFTER)
    top->over = kind == ompt_sync_region_barrier_explicit || kind == ompt_sync_region_barrier_implicit_parallel;
  if (top->kind == SKIP_MEMBER && top->skipped && may_be_last(kind))
    arrive(skip, top);
}

/* A barrier's end. The one of a copyprivate comes before the construct's own. */
static void end_barrier(struct skip *skip, ompt_sync_region_t kind)
{
  struct skip_frame *top = skip_top(skip);
  if (!top->untimed)
    skip_note(skip, top, clock_ticks(), 0);
  if (kind == ompt_sync_region_barrier_implementation)
    top->over = true;
  else
    skip->depth--;
}

void limited_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                         ompt_data_t *task, const void *code)
{
  struct skip *skip = skip_self();
  if (skip && skip_top(skip)->kind == SKIP_REGION && skip_top(skip)->mute == SKIP_ALL)
    return;
  if (skip && skip_top(skip)->kind == SKIP_TASKS)
    skip_leave_over(skip);
  if (skip && is_barrier(kind) && endpoint == ompt_scope_begin)
    begin_barrier(skip, kind);
  skip = skip_now();
  bool recorded = !skip || skip_top(skip)->mute == SKIP_NOTHING;
  if (skip && is_barrier(kind) && endpoint == ompt_scope_end && skip_top(skip)->kind == SKIP_AFTER)
    end_barrier(skip, kind);
  if (recorded)
    on_sync_region(kind, endpoint, parallel, task, code);
}
