/* Parallel regions, work-sharing constructs, barriers and other waits. */
#include "ompt-tool/profiled.h"

#include "common/profile/profile_metrics.h"

void profiled_thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
  (void)thread;
  profile_thread_begin(type);
}

void profiled_thread_end(ompt_data_t *thread)
{
  (void)thread;
  profile_thread_end();
}

void profiled_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                             int flags, const void *code)
{
  (void)task;
  (void)frame;
  (void)requested;
  uint64_t now, place = profiled_code_of_construct(code);
  parallel->value = 0;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  unsigned league = (unsigned)flags & ompt_parallel_league ? RAW_PARALLEL_LEAGUE : 0;
  parallel->value = (uintptr_t)profile_open(&profile->table, RAW_ROW_REGION, league, place, now);
  profile_leave(profile);
}

void profiled_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
  (void)task;
  (void)flags;
  (void)code;
  uint64_t now;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  struct profile_table *table = &profile->table;
  const struct construct *region = (const struct construct *)(uintptr_t)parallel->value;
  ptrdiff_t at = region ? region - table->stack.open : 0;
  if (!region)
    table->stack.over -= table->stack.over > 0;
  else if (at > 0 && at < (ptrdiff_t)table->stack.depth && region->kind == RAW_ROW_REGION)
    profile_end_region(table, (uint32_t)at, now);
  profile_leave(profile);
}

void profiled_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                            unsigned team_size, unsigned index, int flags)
{
  (void)flags;
  uint64_t now;
  const struct construct *region = parallel ? (const struct construct *)(uintptr_t)parallel->value : NULL;
  if (task && endpoint == ompt_scope_begin)
    task->value = RAW_ID_IMPLICIT;
  if (endpoint == ompt_scope_begin && !region)
    return;
  uint64_t ended = endpoint == ompt_scope_end ? profile_take_end() : 0;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  if (endpoint == ompt_scope_begin)
    profile_begin_member(&profile->table, __atomic_load_n(&region->code, __ATOMIC_RELAXED),
                         __atomic_load_n(&region->begin, __ATOMIC_RELAXED), index, team_size, now);
  else
    profile_end_member(&profile->table, now, ended);
  profile_leave(profile);
}

void profiled_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                   uint64_t count, const void *code)
{
  (void)parallel;
  (void)task;
  uint64_t now, place = endpoint == ompt_scope_end ? 0 : profiled_code_of_construct(code);
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  if (endpoint != ompt_scope_end)
    profile_begin_work(&profile->table, type, place, count, now);
  if (endpoint != ompt_scope_begin)
    profile_end_work(&profile->table, profiled_libomp, now);
  profile_leave(profile);
}

/* Chunks are counted; the time is the loop's. */
void profiled_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
  (void)parallel;
  (void)task;
  const ompt_dispatch_chunk_t *chunk = instance.ptr;
  if ((kind != ompt_dispatch_ws_loop_chunk && kind != ompt_dispatch_distribute_chunk) || !chunk)
    return;
  struct profile *profile = profile_enter_untimed();
  if (!profile)
    return;
  profile_take_chunks(&profile->table, chunk->start, chunk->iterations, 1, kind == ompt_dispatch_ws_loop_chunk,
                      profile->table.last);
  profile_leave(profile);
}

/* A construct without a number. */
static void take_plain(enum raw_row kind, ompt_scope_endpoint_t endpoint, const void *code)
{
  uint64_t now, place = endpoint == ompt_scope_begin ? profiled_code(code) : 0;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  if (endpoint == ompt_scope_begin)
    profile_open(&profile->table, kind, 0, place, now);
  else
    profile_end(&profile->table, kind, now);
  profile_leave(profile);
}

void profiled_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
  (void)parallel;
  (void)task;
  take_plain(RAW_ROW_MASKED, endpoint, code);
}

void profiled_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                        ompt_data_t *task, const void *code)
{
  (void)kind;
  (void)parallel;
  (void)task;
  take_plain(RAW_ROW_REDUCTION, endpoint, code);
}

void profiled_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                          ompt_data_t *task, const void *code)
{
  (void)parallel;
  (void)task;
  uint64_t now, place = 0;
  if (endpoint == ompt_scope_begin) /* of taskgroups only a taskloop's comes with an outlined function */
    place = kind == ompt_sync_region_taskgroup ? profiled_code_of_construct(code) : profiled_code(code);
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  if (endpoint == ompt_scope_begin)
    profile_begin_sync(&profile->table, kind, place, now);
  else if (!profile_end_sync(&profile->table, kind, now))
    profile_end_later(profile, now);
  profile_leave(profile);
}

/* Of others the wait is the whole construct. */
void profiled_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                               ompt_data_t *task, const void *code)
{
  (void)parallel;
  (void)task;
  (void)code;
  uint64_t now;
  struct profile *profile = kind == ompt_sync_region_taskgroup ? profile_enter(&now) : NULL;
  if (!profile)
    return;
  if (endpoint == ompt_scope_begin)
    profile_open(&profile->table, RAW_ROW_SYNC_WAIT, kind, 0, now);
  else
    profile_end(&profile->table, RAW_ROW_SYNC_WAIT, now);
  profile_leave(profile);
}
