/*
 * What a profile counts besides constructs (raw_trace.h, enum raw_metric): tasks that are made, chunks and iterations
 * of loops, locks by object, events of the program's and their values, pauses for garbage collection. Callbacks and
 * records feed it, as profile_team.h.
 *
 * Nothing here allocates or fails: what has no room is counted.
 */
#ifndef HEDDLE_COMMON_PROFILE_PROFILE_METRICS_H
#define HEDDLE_COMMON_PROFILE_PROFILE_METRICS_H

#include "common/profile/profile_table.h"

/* The construct at that code makes so many tasks; code 0: the innermost one's. */
void profile_make_tasks(struct profile_table *table, uint64_t code, uint64_t tasks, uint64_t now);

/* A work-sharing construct begins, of so many iterations in all; type: ompt_work_t. */
void profile_begin_work(struct profile_table *table, unsigned type, uint64_t code, uint64_t count, uint64_t now);
/* The innermost one goes on with so many chunks that have so many iterations, of which one is `first`. told: the
 * runtime told them one by one, and as chunks of a loop. */
void profile_take_chunks(struct profile_table *table, uint64_t first, uint64_t iterations, uint64_t chunks, bool told,
                         uint64_t now);
/* Chunks of which only the number is known, of a loop that is not open. */
void profile_count_chunks(struct profile_table *table, unsigned type, uint64_t code, uint64_t chunks, uint64_t now);
/* It ends, if one is open. What follows from the schedule counts as well: all of a static loop of libomp's. */
void profile_end_work(struct profile_table *table, bool libomp, uint64_t now);

/* An event of the program's, which stands for so many; and each of its values: element: as in RAW_USER_EVENT. */
void profile_take_event(struct profile_table *table, uint64_t name, uint64_t weight, uint64_t now);
void profile_take_value(struct profile_table *table, uint64_t name, const uint64_t element[RAW_EXTRA], uint64_t now);

/* A wait of Java's for an object has ended after so long; kind: enum raw_block. */
void profile_take_block(struct profile_table *table, unsigned kind, uint64_t code, uint64_t object, uint64_t ticks,
                        uint64_t now);
void profile_take_pause(struct profile_table *table, uint64_t ticks, uint64_t now);

/* Adds one wait that took so long, for `weight` acquisitions. */
static inline void profile_count_wait(uint64_t *words, uint64_t weight, uint64_t ticks)
{
  profile_count(&words[RAW_METRIC_COUNT], weight);
  profile_count(&words[RAW_METRIC_TICKS], ticks);
  if (ticks > words[RAW_METRIC_LONGEST])
    __atomic_store_n(&words[RAW_METRIC_LONGEST], ticks, __ATOMIC_RELAXED);
  if (ticks > RAW_CONTENDED) {
    profile_count(&words[RAW_METRIC_CONTENDED], 1);
    profile_count(&words[RAW_METRIC_WAITING], ticks);
  }
}

#endif
