/* Parallel regions, work-sharing constructs, barriers and other waits. */
#include "ompt-tool/profiled.h"

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

uint32_t profiled_find(const struct profile_table *table, enum raw_row kind)
{
  for (uint32_t i = table->depth - 1; i > 0; i--) {
    enum raw_row open = (enum raw_row)table->frame[i].kind;
    if (open == kind)
      return i;
    if (open == RAW_ROW_MEMBER || open == RAW_ROW_REGION)
      return 0;
  }
  return 0;
}

void profiled_end(struct profile_table *table, enum raw_row kind, uint64_t now)
{
  if (table->over > 0) {
    table->over--;
    return;
  }
  uint32_t at = profiled_find(table, kind);
  if (at == 0)
    return;
  profile_close_to(table, at + 1, now);
  profile_close(table, now, true);
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
  const struct profile_frame *region = (const struct profile_frame *)(uintptr_t)parallel->value;
  ptrdiff_t at = region ? region - table->frame : 0;
  if (!region) {
    table->over -= table->over > 0;
  } else if (at > 0 && at < (ptrdiff_t)table->depth && region->kind == RAW_ROW_REGION) {
    profile_close_to(table, (uint32_t)at + 1, now);
    if (region->key > region->begin) /* the end of the last barrier */
      profile_count(&table->row[region->row].words[RAW_ROW_OFFSET], region->key - region->begin);
    profile_close(table, now, true);
  }
  profile_leave(profile);
}

/*
 * The thread has arrived at the last barrier of its region, at `at`: its part of the region ends. What it does until
 * then is waiting, but for the tasks that it executes in `waiting`. Workers report the end of that barrier only when
 * their next region begins.
 */
static void arrive(struct profile_table *table, uint32_t at, uint64_t now)
{
  uint64_t begin = table->frame[at].key;
  uint16_t row = table->frame[at].row;
  profile_close_to(table, at + 1, now);
  profile_count(&table->row[row].words[RAW_ROW_OFFSET], now > begin ? now - begin : 0);
  profile_close(table, now, true);
  profile_top(table)->arrived = (uint16_t)(row + 1);
}

/* A thread joins a region, so it is in no other one. */
static void leave_all(struct profile_table *table, uint64_t now)
{
  profile_close_to(table, 1, now);
  table->over = 0;
  table->frame[0].arrived = 0;
}

static void begin_member(struct profile_table *table, const struct profile_frame *region, unsigned index, uint64_t now)
{
  if (index > 0)
    leave_all(table, now);
  if (table->first_index == 0) {
    table->first_index = index + 1;
    __atomic_store_n(&table->thread[0], raw_head(RAW_PROFILE_THREAD, 0, index + 1), __ATOMIC_RELAXED);
  }
  struct profile_frame *member =
      profile_open(table, RAW_ROW_MEMBER, 0, __atomic_load_n(&region->code, __ATOMIC_RELAXED), now);
  if (member)
    member->key = __atomic_load_n(&region->begin, __ATOMIC_RELAXED);
}

/*
 * Older runtimes don't tell a region's last barrier from others: it is the one that ended, at `ended`, when the region
 * is over.
 */
static void end_last_barrier(struct profile_table *table, uint64_t ended)
{
  struct profile_frame barrier = *profile_top(table);
  profile_drop(table);
  uint32_t at = profiled_find(table, RAW_ROW_MEMBER);
  if (at == 0)
    return;
  uint64_t begin = table->frame[at].key, arrived = barrier.begin + barrier.inner;
  uint64_t *words = table->row[table->frame[at].row].words;
  profile_close_to(table, at + 1, table->last);
  profile_count(&words[RAW_ROW_OFFSET], arrived > begin ? arrived - begin : 0);
  profile_close(table, table->last, true);
  struct profile_frame *region = profile_top(table);
  if (region->kind != RAW_ROW_REGION)
    return;
  region->key = ended;
  struct profile_frame *again = profile_open(table, RAW_ROW_SYNC, barrier.number, barrier.code, table->last);
  if (!again)
    return;
  again->begin = barrier.begin;
  again->inner = barrier.inner;
  profile_close(table, ended, true);
}

static void end_member(struct profile_table *table, uint64_t now, uint64_t ended)
{
  if (ended != 0 && profile_top(table)->kind == RAW_ROW_SYNC) {
    end_last_barrier(table, ended);
    return;
  }
  uint32_t at = profiled_find(table, RAW_ROW_MEMBER);
  if (at == 0)
    return;
  arrive(table, at, now);
  struct profile_frame *region = profile_top(table);
  region->arrived = 0;
  if (region->kind == RAW_ROW_REGION) /* there was no barrier: the region is this thread's alone */
    region->key = now;
}

void profiled_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                            unsigned team_size, unsigned index, int flags)
{
  (void)team_size;
  (void)flags;
  uint64_t now;
  const struct profile_frame *region = parallel ? (const struct profile_frame *)(uintptr_t)parallel->value : NULL;
  if (task && endpoint == ompt_scope_begin)
    task->value = RAW_ID_IMPLICIT;
  if (endpoint == ompt_scope_begin && !region)
    return;
  uint64_t ended = endpoint == ompt_scope_end ? profile_take_end() : 0;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  if (endpoint == ompt_scope_begin)
    begin_member(&profile->table, region, index, now);
  else
    end_member(&profile->table, now, ended);
  profile_leave(profile);
}

void profiled_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                   uint64_t count, const void *code)
{
  (void)parallel;
  (void)task;
  (void)count;
  uint64_t now, place = endpoint == ompt_scope_end ? 0 : profiled_code_of_construct(code);
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  if (endpoint != ompt_scope_end)
    profile_open(&profile->table, RAW_ROW_WORK, type, place, now);
  if (endpoint != ompt_scope_begin)
    profiled_end(&profile->table, RAW_ROW_WORK, now);
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
    profiled_end(&profile->table, kind, now);
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

static bool is_barrier(ompt_sync_region_t kind)
{
  return kind != ompt_sync_region_taskwait && kind != ompt_sync_region_taskgroup && kind != ompt_sync_region_reduction;
}

static bool is_last(ompt_sync_region_t kind)
{
  return kind == ompt_sync_region_barrier_implicit_parallel || kind == ompt_sync_region_barrier_teams;
}

static void begin_sync(struct profile_table *table, ompt_sync_region_t kind, uint64_t code, uint64_t now)
{
  /* A work-sharing construct that was cancelled has no other end. */
  if (is_barrier(kind) && kind != ompt_sync_region_barrier_implementation && profile_top(table)->kind == RAW_ROW_WORK)
    profile_close(table, now, true);
  uint32_t member = is_last(kind) ? profiled_find(table, RAW_ROW_MEMBER) : 0;
  if (member > 0) {
    arrive(table, member, now);
    if (profile_top(table)->kind != RAW_ROW_REGION)
      return;
  }
  uint16_t arrived = profile_top(table)->arrived;
  struct profile_frame *sync = profile_open(table, RAW_ROW_SYNC, kind, code, now);
  if (sync && member > 0)
    sync->arrived = arrived;
}

static void end_sync(struct profile *profile, ompt_sync_region_t kind, uint64_t now)
{
  struct profile_table *table = &profile->table;
  const struct profile_frame *top = profile_top(table);
  if (kind == ompt_sync_region_barrier_implicit && table->over == 0 && top->kind == RAW_ROW_SYNC &&
      top[-1].kind == RAW_ROW_MEMBER) { /* perhaps the region's last one */
    profile_end_later(profile, now);
    return;
  }
  if (is_last(kind) && profiled_find(table, RAW_ROW_SYNC) == 0)
    return; /* a worker's, late */
  profiled_end(table, RAW_ROW_SYNC, now);
  struct profile_frame *region = profile_top(table);
  if (is_last(kind) && region->kind == RAW_ROW_REGION) {
    region->key = now;
    region->arrived = 0;
  }
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
    begin_sync(&profile->table, kind, place, now);
  else
    end_sync(profile, kind, now);
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
    profiled_end(&profile->table, RAW_ROW_SYNC_WAIT, now);
  profile_leave(profile);
}
