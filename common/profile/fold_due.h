/*
 * A recording that is looked at while it goes on (HEDDLE_LIVE): each thread folds what it has recorded into its profile
 * (profile_beside.h) at least every FOLD_MS, as far as it records at all; and with the record that begins a wait, if
 * the last such fold is older than FOLD_WAITING_MS, for then an observer sees what the thread waits in. A wait that
 * begins sooner after another one is not in the profile before the thread's next record. Where only a part is measured
 * (needs.h), each record may be the last one for long: folds are then due after FOLD_PARTIAL_US. The record's own look
 * at `due` (reading.h) finds out, so other recordings pay nothing.
 *
 * The calls are the thread's own, while it is busy or not attached yet.
 */
#ifndef HEDDLE_COMMON_PROFILE_FOLD_DUE_H
#define HEDDLE_COMMON_PROFILE_FOLD_DUE_H

#include "common/recorder/slots.h"

#define FOLD_MS         100u
#define FOLD_WAITING_MS 1u
#define FOLD_PARTIAL_US 20u

/* A thread begins to record at `now` (ticks). Before reading_begin. */
void fold_due_begin(struct recorder *self, uint64_t now);

/* After a record of this head was put at `now`: folds, if that is due, and records a stall of that length.
 * False: it was not. */
bool fold_due(struct recorder *self, uint64_t head, uint64_t now);

/* Whether a record begins a wait; the JVM's thread may have nothing to do for long after a pause. */
static inline __attribute__((always_inline)) int fold_due_waits(uint64_t head)
{
  unsigned kind = raw_kind_of(head);
  return kind == RAW_SYNC_BEGIN || kind == RAW_WAIT_BEGIN || kind == RAW_BARRIER_BEGIN || kind == RAW_MUTEX_ACQUIRE ||
         kind == RAW_BLOCK_BEGIN || kind == RAW_GC_END;
}

#endif
