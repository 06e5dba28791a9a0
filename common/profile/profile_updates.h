/*
 * A recording that is looked at while it goes on (HEDDLE_LIVE). Each thread folds what it has recorded into its profile
 * (live_profile.h) at least every FOLD_MS, as far as it records at all. It also does so with the record that begins a
 * wait, if the last such fold is older than FOLD_WAITING_MS. Then an observer sees what the thread waits in. A wait
 * that begins sooner after another one is not in the profile before the thread's next record. Where only a part is
 * measured (measured_groups.h), each record may be the last one for long: folds are then due after FOLD_PARTIAL_US. The
 * record's own look at `due` (cpu_time_reading.h) finds out, so other recordings pay nothing.
 *
 * The calls are the thread's own, while it is busy or not attached yet.
 */
#ifndef HEDDLE_COMMON_PROFILE_PROFILE_UPDATES_H
#define HEDDLE_COMMON_PROFILE_PROFILE_UPDATES_H

#include "common/recorder/recorder_slots.h"

#define FOLD_MS         100u
#define FOLD_WAITING_MS 1u
#define FOLD_PARTIAL_US 20u

/* A thread begins to record at `now` (ticks). Before cpu_reading_begin. */
void profile_updates_begin(struct recorder *self, uint64_t now);

/* After a record of this head was put at `now`: folds, if that is due, and records a stall of that length.
 * False: it was not. */
bool profile_update(struct recorder *self, uint64_t head, uint64_t now);

/* True if a record begins a wait; the JVM's thread may have nothing to do for long after a pause. */
static inline __attribute__((always_inline)) int profile_update_waits(uint64_t head)
{
  unsigned kind = raw_kind_of(head);
  return kind == RAW_SYNC_BEGIN || kind == RAW_WAIT_BEGIN || kind == RAW_BARRIER_BEGIN || kind == RAW_MUTEX_ACQUIRE ||
         kind == RAW_BLOCK_BEGIN || kind == RAW_GC_END;
}

#endif
