/* Critical sections, locks, ordered and atomic. */
#include "ompt-tool/profiled.h"

void profiled_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  (void)hint;
  (void)impl;
  (void)wait;
  uint64_t now, place = profiled_code(code);
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  profile_acquire(&profile->table, &profile->locks, kind, place, now);
  profile_leave(profile);
}

void profiled_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  uint64_t now;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  profile_acquired(&profile->table, &profile->locks, kind, wait, now);
  profile_leave(profile);
}

void profiled_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  uint64_t now;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  profile_released(&profile->table, &profile->locks, kind, wait, now);
  profile_leave(profile);
}

/* The thread holds the lock already. */
void profiled_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  uint64_t now;
  struct profile *profile = endpoint == ompt_scope_begin ? profile_enter(&now) : NULL;
  if (!profile)
    return;
  profile_nest(&profile->table, &profile->locks, wait, now);
  profile_leave(profile);
}
