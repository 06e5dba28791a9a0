/* Critical sections, locks, ordered and atomic: waiting is a construct, holding is added up beside the constructs. */
#include "ompt-tool/profiled.h"

static bool is_test(ompt_mutex_t kind)
{
  return kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock;
}

static void hold(struct profile *profile, ompt_wait_id_t wait, uint64_t code, uint64_t now)
{
  if (profile->held_count < PROFILE_HELD)
    profile->held[profile->held_count] = (struct profile_held){wait, code, now};
  profile->held_count++;
}

void profiled_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  (void)hint;
  (void)impl;
  (void)wait;
  uint64_t now, place = profiled_code(code);
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  if (is_test(kind)) /* one that fails has no end */
    profile->testing = place;
  else
    profile_open(&profile->table, RAW_ROW_ACQUIRE, kind, place, now);
  profile_leave(profile);
}

void profiled_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  uint64_t now;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  struct profile_table *table = &profile->table;
  uint64_t place = profile->testing;
  if (is_test(kind)) {
    profile_add(table, RAW_ROW_ACQUIRE, kind, place, 0, now);
  } else {
    const struct profile_frame *top = profile_top(table);
    place = top->kind == RAW_ROW_ACQUIRE ? top->code : 0;
    profiled_end(table, RAW_ROW_ACQUIRE, now);
  }
  hold(profile, wait, place, now);
  profile_leave(profile);
}

void profiled_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  uint64_t now;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  uint32_t known = profile->held_count < PROFILE_HELD ? profile->held_count : PROFILE_HELD, at = known;
  while (at > 0 && profile->held[at - 1].wait != wait)
    at--;
  if (at > 0) {
    struct profile_held held = profile->held[at - 1];
    for (; at < known; at++)
      profile->held[at - 1] = profile->held[at];
    profile_add(&profile->table, RAW_ROW_HOLD, kind, held.code, now - held.since, now);
  }
  profile->held_count -= profile->held_count > 0;
  profile_leave(profile);
}

/* The thread holds the lock already. */
void profiled_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void *code)
{
  (void)wait;
  (void)code;
  uint64_t now;
  struct profile *profile = endpoint == ompt_scope_begin ? profile_enter(&now) : NULL;
  if (!profile)
    return;
  if (profile_top(&profile->table)->kind == RAW_ROW_ACQUIRE)
    profiled_end(&profile->table, RAW_ROW_ACQUIRE, now);
  else
    profile_add(&profile->table, RAW_ROW_ACQUIRE, ompt_mutex_test_nest_lock, profile->testing, 0, now);
  profile_leave(profile);
}
