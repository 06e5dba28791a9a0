/*
 * Adds records to a profile's table: the sums of what a thread has recorded. A window's records are folded in one pass
 * when it is full, while the cache has them. This costs less than to add up in each callback.
 *
 * Recorded instances count with their weights; omitted constructs with the sums that RAW_OMITTED has, their time as
 * UNMEASURED. A construct's self times are measured times, and all of them add up to the thread's time. So do the
 * executions that a row's histogram has not: they were counted, not measured.
 */
#ifndef HEDDLE_COMMON_PROFILE_PROFILE_FOLD_H
#define HEDDLE_COMMON_PROFILE_PROFILE_FOLD_H

#include "common/profile/profile_team.h"
#include "common/raw/raw_trace.h"

#include <stdint.h>

struct profile_fold {
  struct profile_table table; /* the caller begins it */
  struct profile_locks locks;
  uint64_t ended;         /* profile_end_sync: the innermost construct ended then, as the next record decides; 0: no */
  uint64_t omitted_ticks; /* sum of RAW_OMITTED in a row, ... */
  uint64_t omitted_until; /* ... up to which time; 0: the newest record is none */
  uint64_t pause;         /* ticks at which the JVM's pause began that goes on; 0: none does */
  uint64_t weight;        /* of the next record of the kind; 0: 1 */
  unsigned weighed;       /* that kind */
  uint32_t not_measured;  /* groups of events that are not measured: LIVE_NEED_... */
  uint64_t base, lock;    /* what short records build on */
  struct raw_entry entries[RAW_ENTRIES];
};

/* A new chunk begins: short records no longer refer to earlier records. */
void profile_fold_chunk(struct profile_fold *fold);
/* Adds whole records, which follow those before in the chunk. The newest of a thread may still grow: the caller leaves
 * them out. Words that are no record end it. */
void profile_fold(struct profile_fold *fold, const uint64_t *from, const uint64_t *to);

/* What a place of a record is in the table; 0: the enclosing construct's. */
uint64_t profile_fold_place(uint64_t code);

/* The address range of the OpenMP runtime's code: that says nothing about the program. libomp: it reports the first
 * chunks of static loops alone. Once, before any fold. */
void profile_fold_set_runtime(uintptr_t start, uintptr_t end, bool libomp);

/* To which group of events (LIVE_NEED_... of live_control.h) records and rows of profiles belong. */

/* The group of a kind of records; 0: they are of no group, and always count. */
uint32_t profile_group_of_record(unsigned kind, unsigned detail);

/* The group of a kind of rows; 0: likewise. */
uint32_t profile_group_of_row(enum raw_row row, unsigned number);

#endif
