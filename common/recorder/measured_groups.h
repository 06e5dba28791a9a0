/*
 * Groups of events that are measured (LIVE_NEED_... of live_control.h): a mask that changes while the program runs.
 * Each change begins an epoch. Events of other groups are not recorded, and do not count.
 *
 * Any thread, at any time, also in handlers; nothing locks or allocates.
 */
#ifndef HEDDLE_COMMON_RECORDER_MEASURED_GROUPS_H
#define HEDDLE_COMMON_RECORDER_MEASURED_GROUPS_H

#include "common/raw/live_control.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* epoch << 32 | mask */
extern _Atomic uint64_t needs_word __attribute__((visibility("hidden")));

static inline uint64_t needs_now(void)
{
  return atomic_load_explicit(&needs_word, memory_order_relaxed);
}

static inline uint32_t needs_mask(uint64_t word)
{
  return (uint32_t)word;
}

static inline uint32_t needs_epoch(uint64_t word)
{
  return (uint32_t)(word >> 32);
}

/* True if this group is not measured but others are; then the caller can omit the record. Where nothing is measured,
 * the recorder itself refuses records, and notes since when. */
static inline bool needs_may_omit(uint32_t group)
{
  uint32_t mask = needs_mask(needs_now());
  return mask != 0 && (mask & group) == 0;
}

/* True if all of these groups are measured. */
static inline bool needs_have(uint32_t groups)
{
  return (needs_mask(needs_now()) & groups) == groups;
}

static inline bool needs_any(uint32_t groups)
{
  return (needs_mask(needs_now()) & groups) != 0;
}

/* Begins an epoch with this mask. False: that holds already. */
bool needs_set(uint32_t mask);

/* Returns the ticks at which an epoch ended; for all but the last ones, a later time. */
uint64_t needs_ended(uint32_t epoch);

/* True if nothing was measured for a time since the epoch of a word, or in it. */
bool needs_paused_since(uint64_t word);

#endif
