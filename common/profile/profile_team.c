/* Parallel regions, barriers and explicit tasks in a profile's table. */
#include "common/profile/profile_team.h"

uint32_t profile_find(const struct profile_table *table, enum raw_row kind)
{
  return construct_find(&table->stack, CONSTRUCT_BIT(kind), 0, CONSTRUCT_TEAM);
}

void profile_end(struct profile_table *table, enum raw_row kind, uint64_t now)
{
  if (table->stack.over > 0) {
    table->stack.over--;
    return;
  }
  uint32_t at = profile_find(table, kind);
  if (at == 0)
    return;
  profile_close_to(table, at + 1, now);
  profile_close(table, now, true);
}

void profile_end_region(struct profile_table *table, uint32_t at, uint64_t now)
{
  profile_close_to(table, at + 1, now);
  const struct construct *region = profile_top(table);
  if (region->key > region->begin) /* the end of the last barrier */
    profile_count(&table->row[region->row].words[RAW_ROW_OFFSET], region->key - region->begin);
  profile_close(table, now, true);
}

/*
 * The thread has arrived at the last barrier of its region, at `at`: its part of the region ends. What it does until
 * then is waiting, but for the tasks that it executes in `waiting`. Workers report the end of that barrier only when
 * their next region begins.
 */
static void arrive(struct profile_table *table, uint32_t at, uint64_t now)
{
  uint64_t begin = table->stack.open[at].key;
  uint16_t row = table->stack.open[at].row;
  profile_close_to(table, at + 1, now);
  profile_count(&table->row[row].words[RAW_ROW_OFFSET], now > begin ? now - begin : 0);
  profile_close(table, now, true);
  profile_top(table)->arrived = (uint16_t)(row + 1);
}

/* A thread joins a region, so it is in no other one. */
static void leave_all(struct profile_table *table, uint64_t now)
{
  profile_close_to(table, 1, now);
  table->stack.over = 0;
  table->stack.open[0].arrived = 0;
}

void profile_begin_member(struct profile_table *table, uint64_t code, uint64_t begin, unsigned index, unsigned team,
                          uint64_t now)
{
  if (index > 0)
    leave_all(table, now);
  if (table->first_index == 0) {
    table->first_index = index + 1;
    uint64_t head = table->thread[0];
    __atomic_store_n(&table->thread[0], raw_head(RAW_PROFILE_THREAD, raw_detail_of(head), index + 1), __ATOMIC_RELAXED);
  }
  struct construct *member =
      profile_open_as(table, RAW_ROW_MEMBER, 0, code, (struct profile_member){index + 1, team}, now);
  if (member)
    member->key = begin;
}

/*
 * Older runtimes don't tell a region's last barrier from others: it is the one that ended, at `ended`, when the region
 * is over.
 */
static void end_last_barrier(struct profile_table *table, uint64_t ended)
{
  struct construct barrier = *profile_top(table);
  profile_drop(table);
  uint32_t at = profile_find(table, RAW_ROW_MEMBER);
  if (at == 0)
    return;
  uint64_t begin = table->stack.open[at].key, arrived = barrier.begin + barrier.inner;
  uint64_t *words = table->row[table->stack.open[at].row].words;
  profile_close_to(table, at + 1, table->last);
  profile_count(&words[RAW_ROW_OFFSET], arrived > begin ? arrived - begin : 0);
  profile_close(table, table->last, true);
  struct construct *region = profile_top(table);
  if (region->kind != RAW_ROW_REGION)
    return;
  region->key = ended;
  struct construct *again =
      profile_open_as(table, RAW_ROW_SYNC, barrier.number, barrier.code, barrier.member, table->last);
  if (!again)
    return;
  again->begin = barrier.begin;
  again->inner = barrier.inner;
  profile_close(table, ended, true);
}

void profile_end_member(struct profile_table *table, uint64_t now, uint64_t ended)
{
  if (ended != 0 && profile_top(table)->kind == RAW_ROW_SYNC) {
    end_last_barrier(table, ended);
    return;
  }
  uint32_t at = profile_find(table, RAW_ROW_MEMBER);
  if (at == 0)
    return;
  arrive(table, at, now);
  struct construct *region = profile_top(table);
  region->arrived = 0;
  if (region->kind == RAW_ROW_REGION) /* there was no barrier: the region is this thread's alone */
    region->key = now;
}

static bool is_barrier(unsigned sync)
{
  return sync != PROFILE_TASKWAIT && sync != PROFILE_TASKGROUP && sync != PROFILE_SYNC_REDUCTION;
}

static bool is_last(unsigned sync)
{
  return sync == PROFILE_BARRIER_PARALLEL || sync == PROFILE_BARRIER_TEAMS;
}

void profile_begin_sync(struct profile_table *table, unsigned sync, uint64_t code, uint64_t now)
{
  /* A work-sharing construct that was cancelled has no other end. */
  if (is_barrier(sync) && sync != PROFILE_BARRIER_IMPLEMENTATION && profile_top(table)->kind == RAW_ROW_WORK)
    profile_close(table, now, true);
  uint32_t member = is_last(sync) ? profile_find(table, RAW_ROW_MEMBER) : 0;
  struct profile_member as = member > 0 ? table->stack.open[member].member : profile_top(table)->member;
  if (member > 0) {
    arrive(table, member, now);
    if (profile_top(table)->kind != RAW_ROW_REGION)
      return;
  }
  uint16_t arrived = profile_top(table)->arrived;
  struct construct *frame = profile_open_as(table, RAW_ROW_SYNC, sync, code, as, now);
  if (frame && member > 0)
    frame->arrived = arrived;
}

bool profile_end_sync(struct profile_table *table, unsigned sync, uint64_t now)
{
  const struct construct *top = profile_top(table);
  if (sync == PROFILE_BARRIER_IMPLICIT && table->stack.over == 0 && top->kind == RAW_ROW_SYNC &&
      top[-1].kind == RAW_ROW_MEMBER)
    return false;
  if (is_last(sync) && profile_find(table, RAW_ROW_SYNC) == 0)
    return true; /* a worker's, late */
  profile_end(table, RAW_ROW_SYNC, now);
  struct construct *region = profile_top(table);
  if (is_last(sync) && region->kind == RAW_ROW_REGION) {
    region->key = now;
    region->arrived = 0;
  }
  return true;
}

/* The frame of a task in the thread's innermost team; 0: the task is not open here. */
static uint32_t find_task(const struct profile_table *table, uint64_t key)
{
  return construct_find(&table->stack, CONSTRUCT_BIT(RAW_ROW_TASK), key, CONSTRUCT_BIT(RAW_ROW_MEMBER));
}

/* Ends the innermost construct, a task. Its time is no waiting for a thread that has arrived at its last barrier. */
static void close_task(struct profile_table *table, uint64_t now, bool executed)
{
  uint64_t begin = profile_top(table)->begin;
  profile_close(table, now, executed);
  const struct construct *around = profile_top(table);
  if (around->arrived > 0)
    profile_count(&table->row[around->arrived - 1].words[RAW_ROW_OFFSET], now - begin);
}

static void leave_task(struct profile_table *table, uint64_t prior, bool complete, uint64_t now)
{
  uint32_t at = prior != 0 ? find_task(table, prior) : 0;
  if (at > 0 && (complete || at == table->stack.depth - 1)) {
    profile_close_to(table, at + 1, now);
    close_task(table, now, complete);
  } else if (at == 0 && complete && table->stack.over > 0) {
    table->stack.over--;
  }
}

void profile_switch_task(struct profile_table *table, uint64_t prior, bool complete, uint64_t next, uint64_t code,
                         uint64_t now)
{
  bool begins = next != 0 && find_task(table, next) == 0;
  if (complete || !begins) /* else it waits beneath the next one */
    leave_task(table, prior, complete, now);
  if (!begins)
    return;
  struct construct *task = profile_open(table, RAW_ROW_TASK, 0, code, now);
  if (task)
    task->key = next;
}

void profile_leave_user(struct profile_table *table, uint64_t name, uint64_t now)
{
  uint32_t at = table->stack.depth - 1;
  while (table->stack.open[at].kind == RAW_ROW_USER && table->stack.open[at].key != name)
    at--;
  if (table->stack.over > 0) {
    table->stack.over--;
  } else if (table->stack.open[at].kind == RAW_ROW_USER) {
    profile_close_to(table, at + 1, now);
    profile_close(table, now, true);
  }
}
