/*
 * Details of raw records, as the scan and the timeline read them: numbers of OMPT, bits of POSIX threads' records,
 * weights.
 *
 * The numbers of OMPT are repeated here, because the converter needs neither an OpenMP runtime nor omp-tools.h.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_RECORD_DETAILS_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_RECORD_DETAILS_H

#include "common/raw/raw_record.h"
#include "common/raw/raw_trace.h"

#include <stdbool.h>

enum { THREAD_INITIAL = 1, THREAD_WORKER = 2 };

enum { IMPLICIT_INITIAL = 1 };

enum {
  WORK_LOOP = 1,
  WORK_SECTIONS = 2,
  WORK_SINGLE_EXECUTOR = 3,
  WORK_SINGLE_OTHER = 4,
  WORK_WORKSHARE = 5,
  WORK_DISTRIBUTE = 6,
  WORK_TASKLOOP = 7,
  WORK_SCOPE = 8,
  WORK_LOOP_STATIC = 10,
  WORK_LOOP_DYNAMIC = 11,
  WORK_LOOP_GUIDED = 12,
  WORK_LOOP_OTHER = 13
};

enum { DISPATCH_SECTION = 2, DISPATCH_LOOP_CHUNK = 3 };

enum {
  SYNC_BARRIER = 1,
  SYNC_BARRIER_IMPLICIT = 2,
  SYNC_BARRIER_EXPLICIT = 3,
  SYNC_BARRIER_IMPLEMENTATION = 4,
  SYNC_TASKWAIT = 5,
  SYNC_TASKGROUP = 6,
  SYNC_REDUCTION = 7,
  SYNC_BARRIER_IMPLICIT_WORKSHARE = 8,
  SYNC_BARRIER_IMPLICIT_PARALLEL = 9,
  SYNC_BARRIER_TEAMS = 10
};

enum {
  MUTEX_LOCK = 1,
  MUTEX_TEST_LOCK = 2,
  MUTEX_NEST_LOCK = 3,
  MUTEX_TEST_NEST_LOCK = 4,
  MUTEX_CRITICAL = 5,
  MUTEX_ATOMIC = 6,
  MUTEX_ORDERED = 7
};

enum {
  TASK_STATUS_COMPLETE = 1,
  TASK_STATUS_YIELD = 2,
  TASK_STATUS_CANCEL = 3,
  TASK_STATUS_DETACH = 4,
  TASK_STATUS_EARLY_FULFILL = 5,
  TASK_STATUS_LATE_FULFILL = 6,
  TASK_STATUS_SWITCH = 7,
  TASK_STATUS_TASKWAIT_COMPLETE = 8
};

enum {
  CANCEL_PARALLEL = 0x01,
  CANCEL_SECTIONS = 0x02,
  CANCEL_LOOP = 0x04,
  CANCEL_TASKGROUP = 0x08,
  CANCEL_ACTIVATED = 0x10,
  CANCEL_DETECTED = 0x20,
  CANCEL_DISCARDED_TASK = 0x40
};

enum {
  DEPEND_IN = 1,
  DEPEND_OUT = 2,
  DEPEND_INOUT = 3,
  DEPEND_MUTEXINOUTSET = 4,
  DEPEND_SOURCE = 5,
  DEPEND_SINK = 6,
  DEPEND_INOUTSET = 7,
  DEPEND_OUT_ALL_MEMORY = 34,
  DEPEND_INOUT_ALL_MEMORY = 35
};

/* True if a wait of a POSIX thread ended with the acquisition of a lock. detail: of RAW_PTHREAD_WAITED. */
static inline bool pthread_acquires(unsigned detail)
{
  unsigned kind = detail & RAW_PTHREAD_KIND;
  return (detail & (RAW_PTHREAD_TIMED_OUT | RAW_PTHREAD_FAILED)) == 0 && kind >= RAW_PTHREAD_MUTEX &&
         kind <= RAW_PTHREAD_SPIN;
}

/* Returns the kind of object (enum raw_pthread) whose waiters are woken; 0: one of several kinds. */
static inline unsigned pthread_kind_of_wake(unsigned wake)
{
  static const unsigned char kinds[] = {
      [RAW_PTHREAD_SIGNAL] = RAW_PTHREAD_CONDITION, [RAW_PTHREAD_BROADCAST] = RAW_PTHREAD_CONDITION,
      [RAW_PTHREAD_POST] = RAW_PTHREAD_SEMAPHORE,   [RAW_PTHREAD_ARRIVAL] = RAW_PTHREAD_BARRIER,
      [RAW_PTHREAD_END] = RAW_PTHREAD_JOIN,         [RAW_PTHREAD_NOTIFY_ONE] = RAW_PTHREAD_ATOMIC,
      [RAW_PTHREAD_NOTIFY_ALL] = RAW_PTHREAD_ATOMIC};
  return wake < sizeof kinds ? kinds[wake] : 0;
}

/* Returns the number of instances that the next record represents. record: RAW_WEIGHT, which may be damaged. */
static inline uint32_t weight_of(const uint64_t *record)
{
  uint64_t value = raw_value_of(record[0]);
  return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

#endif
