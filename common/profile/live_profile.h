/*
 * Profiles beside events (HEDDLE_PROFILE=beside): each thread has a table with the sums of what it has recorded. It is
 * in a window of its own (raw_trace.h, "Profiles"), which a reader in another process can look at. What a thread
 * records is folded into its table (profile_fold.h) before its window is written or the recording stops. So the table
 * of a killed thread lacks at most one window. The time is part of the window's turn, which the budget counts.
 */
#ifndef HEDDLE_COMMON_PROFILE_LIVE_PROFILE_H
#define HEDDLE_COMMON_PROFILE_LIVE_PROFILE_H

#include "common/recorder/recorder_slots.h"

/* Begins, once, before recording does. False: there is no memory. */
bool live_profile_begin(void);

/*
 * recording_config's fold: adds what the window has that is new; ends: and writes the table, because the thread has
 * ended. Without memory or room it does nothing. False: recording has stopped, and the window is being folded for that.
 */
bool live_profile_fold(struct recorder *recorder, bool ends);

/* recording_config's skip: what the window has was folded before, or is not measured. The thread's own, as it turns. */
void live_profile_skip(struct recorder *recorder);

/*
 * The calling thread has acquired a lock whose number alone is needed (LIVE_NEED_LOCK_COUNTS). The lock is counted in
 * the table, without a record and without a time. kind: ompt_mutex_t; wait: the lock's id; code: where it is; again:
 * the thread had it already.
 */
void live_profile_count_lock(unsigned kind, uint64_t wait, const void *code, bool again);

/* The recording begins anew: the slot's table is gone, with its window. */
void live_profile_restart(struct recorder *recorder);

#endif
