/*
 * Control of a running program: the file `control` of a process directory has the requests of observers and the
 * program's answers. A program with HEDDLE_LIVE or HEDDLE_PAUSED has one; program and observers map it.
 *
 * To make a request, an observer reads `answer` and `request`, and exchanges `request` (compare and swap) for its
 * operations and the next number. If the former request is not answered yet, the observer keeps its operations, except
 * where its own contradict them: none is lost. Then it wakes the waiters of `request` (futex), and waits until `answer`
 * has that number or a later one. An observer may end at any moment.
 *
 * An observer that needs measurements takes a slot of `observers`: it locks (F_OFD_SETLK, a description of its own) the
 * byte LIVE_CONTROL_SIZE + slot of the file. The kernel releases the lock if the observer dies. The observer writes its
 * needs to the slot, and then makes a request. The program measures the needs of all observers, and what it measures
 * anyway. A slot without a lock is free: the next observer may take it, and the program empties it.
 *
 * The program reads only `request` and `observers`. It ignores unknown bits.
 */
#ifndef HEDDLE_COMMON_RAW_LIVE_CONTROL_H
#define HEDDLE_COMMON_RAW_LIVE_CONTROL_H

#include "common/budget/mix.h"

#include <stdint.h>

#define LIVE_CONTROL_FILE    "control"
#define LIVE_CONTROL_SIZE    4096u
#define LIVE_CONTROL_MAGIC   0x3145564944444548ull
#define LIVE_CONTROL_VERSION 3u
#define LIVE_OBSERVERS       64u
#define LIVE_THREADS         8192u /* that can be chosen: those with lower numbers */
#define LIVE_CODES           128u  /* of constructs that can be chosen */

struct live_observer {
  uint64_t needs; /* number of writes << 32 | LIVE_NEED_...; the latter 0: no needs, or a free slot */
  uint64_t pid;   /* as the observer sees itself; information for people */
};

struct live_control {
  uint64_t magic; /* LIVE_CONTROL_MAGIC; written last */
  uint32_t version;
  uint32_t live;      /* 1: HEDDLE_LIVE, so that tracing can be switched */
  uint32_t begun;     /* the state at the begin */
  uint32_t request;   /* number << LIVE_NUMBER_AT | operations; observers write it */
  uint32_t answer;    /* number of the newest request that was executed << LIVE_NUMBER_AT | state */
  uint32_t offers;    /* LIVE_NEED_... of LIVE_NEED_OFFERED that the process can count */
  uint64_t requests;  /* executed so far */
  uint64_t stretches; /* stretches of tracing, begun so far */
  uint32_t measured;  /* LIVE_NEED_... */
  uint32_t callbacks; /* of the OpenMP runtime that are registered for `measured` */
  struct live_observer observers[LIVE_OBSERVERS];
  uint64_t chosen[LIVE_THREADS / 64]; /* a bit a thread: the threads that LIVE_TRACE_CHOSEN traces */
  uint64_t codes[LIVE_CODES];         /* the constructs that LIVE_TRACE_CODES traces, as records have them */
  uint32_t code_count;
  uint32_t pending;      /* LIVE_NEED_... whose measurement is about to begin */
  uint32_t java_events;  /* of the JVM that are enabled for `measured` */
  uint32_t java_hooks;   /* likewise in Java classes */
  uint32_t java_classes; /* that are woven */
};

#define LIVE_NUMBER_AT 8

/* Operations, bits; 0: the observer only wants an answer. */
#define LIVE_MEASURE_ON  0x01u
#define LIVE_MEASURE_OFF 0x02u
#define LIVE_TRACE_ON    0x04u
#define LIVE_TRACE_OFF   0x08u
/* With LIVE_TRACE_ON: only the chosen threads. Observers that choose at the same time get each other's threads, too. */
#define LIVE_TRACE_CHOSEN 0x10u
/* Likewise: only the chosen constructs and what is inside them. */
#define LIVE_TRACE_CODES 0x20u

/* Groups of measurements, bits. OpenMP: */
#define LIVE_NEED_REGIONS 0x0001u /* parallel regions and their teams */
#define LIVE_NEED_WORKS   0x0002u /* loops, sections, single, masked */
#define LIVE_NEED_CHUNKS  0x0004u
#define LIVE_NEED_SYNC    0x0008u /* barriers, taskwaits, taskgroups, reductions */
#define LIVE_NEED_TASKS   0x0010u
#define LIVE_NEED_LOCKS   0x0020u /* locks, critical and ordered sections */
#define LIVE_NEED_OTHERS  0x0040u /* flushes, ... */
/* Java: */
#define LIVE_NEED_MONITORS 0x0080u /* contended monitors, Object.wait */
#define LIVE_NEED_PARKS    0x0100u /* parks, sleeps, joins */
#define LIVE_NEED_GC       0x0200u
/* Others: */
#define LIVE_NEED_POSIX 0x0400u /* waits of POSIX threads */
#define LIVE_NEED_CALLS 0x0800u /* exact calls */
#define LIVE_NEED_USER  0x1000u /* the program's own regions and events */
#define LIVE_NEED_ALL   0x1fffu
/* Counted without records, only while an observer needs it, and only by processes that offer it: */
#define LIVE_NEED_ALLOCATED 0x2000u /* bytes that Java threads allocate */
#define LIVE_NEED_SAMPLES                                                                                              \
  0x4000u /* samples of Java code, if the process takes some; `heddle record` takes samples of native code */
/* Acquisitions of locks without their times; LIVE_NEED_LOCKS includes them. */
#define LIVE_NEED_LOCK_COUNTS 0x8000u
#define LIVE_NEED_OFFERED     (LIVE_NEED_ALLOCATED | LIVE_NEED_SAMPLES | LIVE_NEED_LOCK_COUNTS)

/*
 * The file `allocated`: struct live_allocated, mapped in the process. bytes[n]: allocated by thread n while an observer
 * needed it. It is 0 at first, and never decreases.
 */
#define LIVE_ALLOCATED_FILE "allocated"
struct live_allocated {
  uint64_t bytes[LIVE_THREADS];
};

/*
 * The file `samples`: struct live_samples, mapped in a process that takes samples of Java code. Samples are counted
 * while everything is measured, or an observer needs them. Counts never decrease. A place always belongs to its first
 * `who`; it is searched among LIVE_SAMPLED_NEAR places from live_sampled_at() on.
 */
#define LIVE_SAMPLES_FILE "samples"
#define LIVE_SAMPLED      65536u /* a power of two */
#define LIVE_SAMPLED_NEAR 64u
struct live_samples {
  uint64_t without_room[LIVE_THREADS]; /* samples of each thread that found no place */
  struct live_sampled {
    uint64_t who; /* number of a thread, less than LIVE_THREADS, << 32 | number of the innermost call (raw_trace.h,
                     `call`); 0: a free place */
    uint64_t count;
  } places[LIVE_SAMPLED];
};

static inline uint32_t live_sampled_at(uint64_t who, uint32_t near)
{
  return ((uint32_t)(mix_upper(who) >> 32) + near) & (LIVE_SAMPLED - 1);
}

/* State, bits. */
#define LIVE_MEASURES 0x01u
#define LIVE_TRACES   0x02u /* events are written */
#define LIVE_ENDED    0x04u /* recording has ended */

/* First words of the lines in which heddle-convert reports on a running process (docs/live.md), and their version. */
#define LIVE_VERSION   "1"
#define LIVE_HEAD      "heddle-live"
#define LIVE_READING   "reading"
#define LIVE_REGION    "region"
#define LIVE_CODE      "code"
#define LIVE_THREAD    "thread"
#define LIVE_LOOK      "look"
#define LIVE_ROW       "row"
#define LIVE_METRIC    "metric"
#define LIVE_ALLOCATED "allocated bytes" /* a kind of metric that archives do not have; its count is bytes */
#define LIVE_SAMPLES   "samples"         /* likewise; samples of a function */
#define LIVE_OVER      "over"
#define LIVE_END       "end"
/* In a look: the thread's state. */
#define LIVE_LIVES     "lives"
#define LIVE_HAS_ENDED "over"

/* In a row: before the thread's number in its team. */
#define LIVE_MEMBER "member="
/* In a metric: the type of its sum and last value. */
#define LIVE_REAL "real"

#endif
