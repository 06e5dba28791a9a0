/* Critical sections, locks, ordered and atomic: waiting is a construct, holding is added up beside the constructs. */
#include "common/profile_team.h"

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

static void hold(struct profile_locks *locks, uint64_t wait, uint64_t code, uint32_t weight, uint64_t now)
{
  if (locks->count < PROFILE_HELD)
    locks->held[locks->count] = (struct profile_held){wait, code, now, weight};
  locks->count++;
}

void profile_acquire(struct profile_table *table, struct profile_locks *locks, unsigned kind, uint64_t code,
                     uint64_t now)
{
  if (is_test(kind)) { /* one that fails has no end */
    locks->testing = code;
    return;
  }
  struct profile_frame *frame = profile_open(table, RAW_ROW_ACQUIRE, kind, code, now);
  uint32_t weight = take_weight(locks);
  if (frame)
    frame->weight = weight;
}

void profile_acquired(struct profile_table *table, struct profile_locks *locks, unsigned kind, uint64_t wait,
                      uint64_t now)
{
  uint64_t code = locks->testing;
  uint32_t weight = 1;
  if (is_test(kind)) {
    weight = take_weight(locks);
    profile_add(table, RAW_ROW_ACQUIRE, kind, code, 0, weight, now);
  } else {
    const struct profile_frame *top = profile_top(table);
    bool acquires = top->kind == RAW_ROW_ACQUIRE;
    code = acquires ? top->code : 0;
    weight = acquires ? top->weight : 1;
    profile_end(table, RAW_ROW_ACQUIRE, now);
  }
  hold(locks, wait, code, weight, now);
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
  }
  locks->count -= locks->count > 0;
}

void profile_nest(struct profile_table *table, struct profile_locks *locks, uint64_t now)
{
  if (profile_top(table)->kind == RAW_ROW_ACQUIRE)
    profile_end(table, RAW_ROW_ACQUIRE, now);
  else
    profile_add(table, RAW_ROW_ACQUIRE, TEST_NEST_LOCK, locks->testing, 0, take_weight(locks), now);
}
