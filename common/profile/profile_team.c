/* Parallel regions, barriers and explicit tasks in a profile's table. */
#include "common/profile/profile_team.h"

#include "common/profile/profile_table.h"
#include "common/recorder/static_chunks.h"

#include <string.h>

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
 * Older runtimes don't distinguish a region's last barrier from others: the barrier that ended at `ended` is the last
 * one when the region has ended.
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

void lock_sums_look_up(struct profile_table *table, struct profile_lock_sums *sums, unsigned kind, uint64_t wait,
                       uint64_t code, uint64_t now)
{
  uint64_t refused = table->refused;
  *sums = (struct profile_lock_sums){.wait = wait, .code = code, .around = profile_top(table)->row};
  sums->acquire = profile_execution_of(table, RAW_ROW_ACQUIRE, kind, code, now);
  sums->metric = profile_metric(table, RAW_METRIC_LOCK, kind, code, wait, table->stack.depth - 1, now);
  sums->hold = profile_execution_of(table, RAW_ROW_HOLD, kind, code, now);
  sums->begun = table->begun;
  table->refused = refused; /* each acquisition is one */
}

/* Critical sections, locks, ordered and atomic: waiting is a construct, holding is added up beside the constructs. */

enum { TEST_LOCK = 2, TEST_NEST_LOCK = 4 }; /* ompt_mutex_t */

static bool is_test(unsigned kind)
{
  return kind == TEST_LOCK || kind == TEST_NEST_LOCK;
}

static uint32_t take_weight(struct profile_locks *locks)
{
  uint32_t weight = locks->weight;
  locks->weight = 0;
  return weight != 0 ? weight : 1;
}

void profile_acquire(struct profile_table *table, struct profile_locks *locks, unsigned kind, uint64_t code,
                     uint64_t now)
{
  if (is_test(kind)) { /* one that fails has no end */
    locks->testing = code;
    return;
  }
  struct construct *frame = profile_open(table, RAW_ROW_ACQUIRE, kind, code, now);
  uint32_t weight = take_weight(locks);
  if (frame)
    frame->weight = weight;
}

void profile_count_locks(struct profile_table *table, unsigned kind, uint64_t code, uint64_t count, uint64_t now)
{
  profile_add_counted(table, RAW_ROW_ACQUIRE, kind, code, count, 0, now);
  profile_add_counted(table, RAW_ROW_HOLD, kind, code, count, 0, now);
  uint64_t *words = profile_metric(table, RAW_METRIC_LOCK, kind, code != 0 ? code : profile_top(table)->code, 0,
                                   table->stack.depth - 1, now);
  if (words)
    profile_count(&words[RAW_METRIC_COUNT], count);
}

struct acquired {
  uint64_t code, ticks; /* ticks: of the wait */
  uint32_t weight;
};

/* The acquisition that is under way ends; a test for a lock has none. */
static struct acquired end_acquire(struct profile_table *table, struct profile_locks *locks, unsigned kind,
                                   uint64_t now)
{
  const struct construct *top = profile_top(table);
  struct acquired got = {.code = is_test(kind) ? locks->testing : 0, .weight = 1};
  if (is_test(kind)) {
    got.weight = take_weight(locks);
    profile_add(table, RAW_ROW_ACQUIRE, kind, got.code, 0, got.weight, now);
  } else {
    if (top->kind == RAW_ROW_ACQUIRE)
      got = (struct acquired){top->code, now - top->begin - top->inner, top->weight};
    profile_end(table, RAW_ROW_ACQUIRE, now);
  }
  if (got.code == 0)
    got.code = profile_top(table)->code;
  return got;
}

/* The thread, in the innermost construct, has the lock. Returns the words of it. */
static uint64_t *count_lock(struct profile_table *table, unsigned kind, uint64_t wait, struct acquired got,
                            uint64_t now)
{
  uint64_t *words = profile_metric(table, RAW_METRIC_LOCK, kind, got.code, wait, table->stack.depth - 1, now);
  if (words)
    profile_count_wait(words, got.weight, got.ticks);
  return words;
}

static void hold(const struct profile_table *table, struct profile_locks *locks, uint64_t wait, struct acquired got,
                 uint64_t *metric, uint64_t now)
{
  if (locks->count < PROFILE_HELD)
    locks->held[locks->count] = (struct profile_held){wait, got.code, now, metric, table->begun, got.weight};
  locks->count++;
}

void profile_acquired(struct profile_table *table, struct profile_locks *locks, unsigned kind, uint64_t wait,
                      uint64_t now)
{
  struct acquired got = end_acquire(table, locks, kind, now);
  hold(table, locks, wait, got, count_lock(table, kind, wait, got, now), now);
}

void profile_released(struct profile_table *table, struct profile_locks *locks, unsigned kind, uint64_t wait,
                      uint64_t now)
{
  uint32_t known = locks->count < PROFILE_HELD ? locks->count : PROFILE_HELD, at = known;
  while (at > 0 && locks->held[at - 1].wait != wait)
    at--;
  if (at > 0) {
    struct profile_held held = locks->held[at - 1];
    for (; at < known; at++)
      locks->held[at - 1] = locks->held[at];
    profile_add(table, RAW_ROW_HOLD, kind, held.code, now - held.since, held.weight, now);
    if (held.metric && held.begun == table->begun)
      profile_count(&held.metric[RAW_METRIC_HELD], now - held.since);
  }
  locks->count -= locks->count > 0;
}

bool profile_locks_at_once(const struct profile_table *table, const struct profile_locks *locks, unsigned kind)
{
  return !is_test(kind) && locks->weight == 0 && locks->count < PROFILE_HELD && profile_has_room(table);
}

void profile_lock_at_once(struct profile_table *table, struct profile_locks *locks, unsigned kind, uint64_t code,
                          uint64_t wait, const uint64_t times[3])
{
  uint64_t waited = times[1] - times[0], held = times[2] - times[1];
  code = code != 0 ? code : profile_top(table)->code;
  struct profile_lock_sums *sums = &locks->sums[lock_sums_place(wait, code)];
  if (!lock_sums_match(sums, table, kind, wait, code))
    lock_sums_look_up(table, sums, kind, wait, code, times[0]);
  profile_pass(table, &sums->acquire, times[0], times[1]);
  profile_add_to(table, &sums->hold, held);
  if (sums->metric) {
    profile_count_wait(sums->metric, 1, waited);
    profile_count(&sums->metric[RAW_METRIC_HELD], held);
  } else {
    table->refused++;
  }
}

void profile_nest(struct profile_table *table, struct profile_locks *locks, uint64_t wait, uint64_t now)
{
  const struct construct *top = profile_top(table);
  unsigned kind = top->kind == RAW_ROW_ACQUIRE ? top->number : TEST_NEST_LOCK;
  count_lock(table, kind, wait, end_acquire(table, locks, kind, now), now);
}

enum { LOOP = 1, LOOP_STATIC = 10 }; /* ompt_work_t */

void profile_make_tasks(struct profile_table *table, uint64_t code, uint64_t tasks, uint64_t now)
{
  uint64_t *words = profile_metric(table, RAW_METRIC_TASKS, 0, code != 0 ? code : profile_top(table)->code, 0,
                                   table->stack.depth - 1, now);
  if (words)
    profile_count(&words[RAW_METRIC_COUNT], tasks);
}

void profile_begin_work(struct profile_table *table, unsigned type, uint64_t code, uint64_t count, uint64_t now)
{
  struct construct *frame = profile_open(table, RAW_ROW_WORK, type, code, now);
  if (frame)
    frame->loop = (struct profile_loop){.count = count};
}

/* The words of the chunks of the loop that is open at `at`. NULL: there is no room. */
static uint64_t *chunks_of(struct profile_table *table, uint32_t at, uint64_t now)
{
  struct construct *frame = &table->stack.open[at];
  if (!frame->loop.metric || frame->loop.begun != table->begun) {
    frame->loop.metric = profile_metric(table, RAW_METRIC_CHUNKS, frame->number, frame->code, 0, at - 1, now);
    frame->loop.begun = table->begun;
  }
  return frame->loop.metric;
}

static void add_chunks(struct profile_table *table, uint32_t at, uint64_t chunks, uint64_t iterations, uint64_t now)
{
  uint64_t *words = chunks_of(table, at, now);
  if (!words)
    return;
  profile_count(&words[RAW_METRIC_COUNT], chunks);
  profile_count(&words[RAW_METRIC_SUM], iterations);
}

void profile_take_chunks(struct profile_table *table, uint64_t first, uint64_t iterations, uint64_t chunks, bool told,
                         uint64_t now)
{
  uint32_t at = table->stack.over == 0 ? profile_find(table, RAW_ROW_WORK) : 0;
  if (at == 0)
    return;
  struct profile_loop *loop = &table->stack.open[at].loop;
  if (loop->chunks == 0) {
    loop->first = first;
    loop->iterations = told ? iterations : 0;
  }
  loop->chunks += chunks < 2 ? 1 : 2;
  add_chunks(table, at, chunks, iterations, now);
}

void profile_count_chunks(struct profile_table *table, unsigned type, uint64_t code, uint64_t chunks, uint64_t now)
{
  uint64_t *words = chunks == 0
                        ? NULL
                        : profile_metric(table, RAW_METRIC_CHUNKS, type, code != 0 ? code : profile_top(table)->code, 0,
                                         table->stack.depth - 1, now);
  if (!words)
    return;
  profile_count(&words[RAW_METRIC_COUNT], chunks);
  profile_count(&words[RAW_METRIC_LAST], chunks);
}

/* libomp reports of a static loop the first chunk of each thread, and of a team of one none. */
static void derive_chunks(struct profile_table *table, uint32_t at, uint64_t now)
{
  const struct construct *frame = &table->stack.open[at];
  struct static_chunks rest;
  struct static_loop of = {.count = frame->loop.count,
                           .first = frame->loop.first,
                           .iterations = frame->loop.iterations,
                           .team = frame->member.team,
                           .number = frame->member.number - 1};
  if (frame->loop.chunks == 0 && frame->number == LOOP_STATIC && of.count != 0 && of.team <= 1)
    add_chunks(table, at, 1, of.count, now);
  else if (frame->loop.chunks == 1 && frame->member.number > 0 && static_chunks_of(&of, &rest))
    add_chunks(table, at, rest.chunks, static_chunks_iterations(&of, &rest), now);
}

void profile_end_work(struct profile_table *table, bool libomp, uint64_t now)
{
  uint32_t at = libomp && table->stack.over == 0 ? profile_find(table, RAW_ROW_WORK) : 0;
  if (at > 0 && (table->stack.open[at].number == LOOP_STATIC || table->stack.open[at].number == LOOP))
    derive_chunks(table, at, now);
  profile_end(table, RAW_ROW_WORK, now);
}

static void add_value(uint64_t *words, unsigned type, uint64_t value)
{
  uint64_t sum = words[RAW_METRIC_SUM] + value;
  if (type == RAW_USER_REAL) {
    double real, more;
    memcpy(&real, &words[RAW_METRIC_SUM], sizeof real);
    memcpy(&more, &value, sizeof more);
    real += more;
    memcpy(&sum, &real, sizeof sum);
  }
  __atomic_store_n(&words[RAW_METRIC_SUM], sum, __ATOMIC_RELAXED);
  __atomic_store_n(&words[RAW_METRIC_LAST], value, __ATOMIC_RELAXED);
  profile_count(&words[RAW_METRIC_COUNT], 1);
}

void profile_take_event(struct profile_table *table, uint64_t name, uint64_t weight, uint64_t now)
{
  uint64_t *words = profile_metric(table, RAW_METRIC_EVENT, 0, name, 0, table->stack.depth - 1, now);
  if (words)
    profile_count(&words[RAW_METRIC_COUNT], weight);
}

void profile_take_value(struct profile_table *table, uint64_t name, const uint64_t element[RAW_EXTRA], uint64_t now)
{
  unsigned type = raw_detail_of(element[0]);
  uint64_t *words =
      profile_metric(table, RAW_METRIC_VALUE, type, name, raw_value_of(element[0]), table->stack.depth - 1, now);
  if (words)
    add_value(words, type, element[1]);
}

void profile_take_block(struct profile_table *table, unsigned kind, uint64_t code, uint64_t object, uint64_t ticks,
                        uint64_t now)
{
  uint64_t *words = profile_metric(table, RAW_METRIC_BLOCK, kind, code, object, table->stack.depth - 1, now);
  if (words)
    profile_count_wait(words, 1, ticks);
}

void profile_take_pause(struct profile_table *table, uint64_t ticks, uint64_t now)
{
  uint64_t *words = profile_metric(table, RAW_METRIC_GC, 0, 0, 0, 0, now);
  if (!words)
    return;
  profile_count_wait(words, 1, ticks);
  __atomic_store_n(&words[RAW_METRIC_LAST], ticks, __ATOMIC_RELAXED);
}
