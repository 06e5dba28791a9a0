/* Critical sections, locks, ordered and atomic: waiting is a construct, holding is added up beside the constructs. */
#include "common/profile/profile_metrics.h"
#include "common/profile/profile_team.h"

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
