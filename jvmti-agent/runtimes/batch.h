/*
 * Batches: the records of one hook. They have one time, because reading the clock is most of a record's cost. A signal
 * handler records before or after a batch, not inside it. From the first record to batch_end(), the calling thread
 * makes no other record.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_BATCH_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_BATCH_H

#include "common/recorder/recorder.h"

/* Numbers of OMPT for the constructs of Java runtimes: the agent does not need omp-tools.h. */
enum {
  IMPLICIT_TASK = 2,
  WORK_SECTIONS = 2,
  WORK_SINGLE_EXECUTOR = 3,
  WORK_SINGLE_OTHER = 4,
  WORK_LOOP_STATIC = 10,
  WORK_LOOP_DYNAMIC = 11,
  WORK_LOOP_GUIDED = 12,
  WORK_LOOP_OTHER = 13,
  DISPATCH_ITERATION = 1,
  DISPATCH_LOOP_CHUNK = 3,
  DISPATCH_SECTION = 2,
  SYNC_BARRIER_EXPLICIT = 3,
  SYNC_BARRIER_IMPLEMENTATION = 4,
  SYNC_BARRIER_IMPLICIT_WORKSHARE = 8,
  SYNC_BARRIER_IMPLICIT_PARALLEL = 9,
  MUTEX_CRITICAL = 5,
  MUTEX_ORDERED = 7
};

/* Half of the most words that the records of a batch have, less 2. */
#define BATCH_PAIRS 20u

/* All zero before the first record. */
struct batch {
  struct recorder *recorder; /* NULL: no record yet, or nothing is recorded */
  uint64_t now;
  bool refused, counted; /* the recorder has counted a record as refused */
};

static inline bool batch_begin(struct batch *batch)
{
  if (batch->recorder)
    return true;
  if (batch->refused || !(batch->recorder = recorder_enter_list(BATCH_PAIRS))) {
    batch->refused = true;
    return false;
  }
  batch->now = clock_ticks();
  recorder_read_if_due(batch->recorder, batch->now);
  return true;
}

/* Has the recorder count a refused record. Returns false. */
static __attribute__((noinline, cold, unused)) bool batch_refuse(struct batch *batch)
{
  struct recorder *recorder = batch->counted ? recorder_enter_list(BATCH_PAIRS) : NULL;
  if (recorder)
    recorder_leave(recorder);
  batch->counted = true;
  return false;
}

static inline bool batch_takes(struct batch *batch)
{
  return batch_begin(batch) || batch_refuse(batch);
}

/* Add records of 2, 3 and 4 words. */
static inline __attribute__((always_inline)) void batch_emit(struct batch *batch, unsigned kind, unsigned detail,
                                                             uint64_t value)
{
  if (batch_takes(batch))
    recorder_put_at(batch->recorder, 2, raw_head(kind, detail, value), 0, batch->now);
}

static inline __attribute__((always_inline)) void batch_emit3(struct batch *batch, unsigned kind, unsigned detail,
                                                              uint64_t value, uint64_t word2)
{
  if (batch_takes(batch))
    recorder_put_at(batch->recorder, 3, raw_head(kind, detail, value), word2, batch->now);
}

static inline void batch_emit4(struct batch *batch, unsigned kind, unsigned detail, uint64_t value, uint64_t word2,
                               uint64_t word3)
{
  if (!batch_takes(batch))
    return;
  batch->recorder->cursor[1] = batch->now;
  batch->recorder->cursor[2] = word2;
  batch->recorder->cursor[3] = word3;
  recorder_put(batch->recorder, 4, raw_head(kind, detail, value));
}

/* After the last record. */
static inline void batch_end(struct batch *batch)
{
  if (batch->recorder)
    recorder_leave(batch->recorder);
}

#endif
