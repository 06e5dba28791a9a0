/*
 * The file `control` of a process directory: what observers ask of a running program, and what it answers. A program
 * with HEDDLE_LIVE or HEDDLE_PAUSED has one; it is mapped there and in each observer.
 *
 * An observer takes `answer` and `request`, and exchanges `request` (compare and swap) for a request with the next
 * number and its operations. If the request before is not answered yet, it adds its own operations to those that don't
 * contradict them, so that none is lost. Then it wakes who waits for `request` (futex), and waits for `answer` to have
 * that number or a later one. An observer may end at any moment.
 *
 * An observer that needs something measured has a slot of `observers`: it holds the lock (F_OFD_SETLK, of a description
 * of its own) of the byte LIVE_CONTROL_SIZE + slot of the file, which the kernel takes away from it if it dies. It
 * writes what it needs there, and then puts a request. The program measures what any of them needs, beside what it
 * measures of its own accord. A slot that nobody has the lock of is nobody's: the next observer takes it over, and the
 * program empties it.
 *
 * The program reads `magic` and all else only to write it, but for `request` and `observers`: what it has not there is
 * ignored.
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
#define LIVE_THREADS         8192u /* that can be chosen: those with a lower number */
#define LIVE_CODES           128u  /* of constructs that can be chosen */

struct live_observer {
  uint64_t needs; /* how often it was written << 32 | LIVE_NEED_...; the latter 0: none, or nobody's */
  uint64_t pid;   /* as the observer sees itself; for people alone */
};

struct live_control {
  uint64_t magic; /* LIVE_CONTROL_MAGIC, once all else is there */
  uint32_t version;
  uint32_t live;      /* 1: HEDDLE_LIVE, so that tracing can be switched */
  uint32_t begun;     /* the state at the begin */
  uint32_t request;   /* number << LIVE_NUMBER_AT | operations; observers write it */
  uint32_t answer;    /* number of the newest request that was acted upon << LIVE_NUMBER_AT | state */
  uint32_t offers;    /* LIVE_NEED_... of LIVE_NEED_OFFERED that the process can count */
  uint64_t requests;  /* acted upon so far */
  uint64_t stretches; /* of tracing that have begun */
  uint32_t measured;  /* LIVE_NEED_... */
  uint32_t callbacks; /* of OpenMP's runtime that are registered for that */
  struct live_observer observers[LIVE_OBSERVERS];
  uint64_t chosen[LIVE_THREADS / 64]; /* a bit a thread: those that LIVE_TRACE_CHOSEN traces */
  uint64_t codes[LIVE_CODES];         /* of constructs that LIVE_TRACE_CODES traces, as records have them */
  uint32_t code_count;
  uint32_t pending;      /* LIVE_NEED_... that are needed, and begin to be measured in a moment */
  uint32_t java_events;  /* of the JVM that are on for what is measured, ... */
  uint32_t java_hooks;   /* ... and hooks in Java classes */
  uint32_t java_classes; /* that are woven */
};

#define LIVE_NUMBER_AT 8

/* Operations, bits; none: an answer is asked for. */
#define LIVE_MEASURE_ON  0x01u
#define LIVE_MEASURE_OFF 0x02u
#define LIVE_TRACE_ON    0x04u
#define LIVE_TRACE_OFF   0x08u
/* With LIVE_TRACE_ON: the chosen threads alone. Observers that choose at the same time get each other's. */
#define LIVE_TRACE_CHOSEN 0x10u
/* Likewise: the chosen constructs alone, with what is inside them. */
#define LIVE_TRACE_CODES 0x20u

/* Groups of what is measured, bits: those of OpenMP, ... */
#define LIVE_NEED_REGIONS 0x0001u /* parallel regions and their teams */
#define LIVE_NEED_WORKS   0x0002u /* loops, sections, single, masked */
#define LIVE_NEED_CHUNKS  0x0004u
#define LIVE_NEED_SYNC    0x0008u /* barriers, taskwaits, taskgroups, reductions */
#define LIVE_NEED_TASKS   0x0010u
#define LIVE_NEED_LOCKS   0x0020u /* locks, critical and ordered sections */
#define LIVE_NEED_OTHERS  0x0040u /* flushes, ... */
/* ... Java's, ... */
#define LIVE_NEED_MONITORS 0x0080u /* contended monitors, Object.wait */
#define LIVE_NEED_PARKS    0x0100u /* parks, sleeps, joins */
#define LIVE_NEED_GC       0x0200u
/* ... and others. */
#define LIVE_NEED_POSIX 0x0400u /* waits of POSIX threads */
#define LIVE_NEED_CALLS 0x0800u /* exact calls */
#define LIVE_NEED_USER  0x1000u /* regions and events of the program's own */
#define LIVE_NEED_ALL   0x1fffu
/* What is counted without records, only while an observer needs it, and only by processes that offer it. */
#define LIVE_NEED_ALLOCATED 0x2000u /* bytes that Java threads allocate */
#define LIVE_NEED_SAMPLES                                                                                              \
  0x4000u /* samples of Java code, where the process takes some; those of native code are taken beside */
/* ... and acquisitions of locks without their times; LIVE_NEED_LOCKS has them, too. */
#define LIVE_NEED_LOCK_COUNTS 0x8000u
#define LIVE_NEED_OFFERED     (LIVE_NEED_ALLOCATED | LIVE_NEED_SAMPLES | LIVE_NEED_LOCK_COUNTS)

/*
 * The file `allocated`: struct live_allocated, mapped in the process. A number is what the thread with that number in
 * the trace allocated while an observer needed it, so it never decreases; the word is 0 until then.
 */
#define LIVE_ALLOCATED_FILE "allocated"
struct live_allocated {
  uint64_t bytes[LIVE_THREADS];
};

/*
 * The file `samples` of a process that takes samples of Java code: struct live_samples, mapped there. They count while
 * all is measured, or an observer needs them. Numbers never decrease. A place is its first
 * sample's for good; it is found from live_sampled_at() on, among LIVE_SAMPLED_NEAR places.
 */
#define LIVE_SAMPLES_FILE "samples"
#define LIVE_SAMPLED      65536u /* a power of two */
#define LIVE_SAMPLED_NEAR 64u
struct live_samples {
  uint64_t without_room[LIVE_THREADS]; /* of each thread: samples whose call has no place */
  struct live_sampled {
    uint64_t who; /* number of a thread, less than LIVE_THREADS, << 32 | number of the innermost call (raw_trace.h,
                     `call`); 0: nobody's */
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
#define LIVE_ENDED    0x04u /* nothing is recorded any more */

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
#define LIVE_ALLOCATED "allocated bytes" /* a kind of metric that no archive has: the count is bytes */
#define LIVE_SAMPLES   "samples"         /* likewise: samples of a function */
#define LIVE_OVER      "over"
#define LIVE_END       "end"
/* Of a look: whether the thread has ended. */
#define LIVE_LIVES     "lives"
#define LIVE_HAS_ENDED "over"

/* Of a row: what is before the number of the thread in its team. */
#define LIVE_MEMBER "member="
/* Of a metric: the type of its sum and of its last value. */
#define LIVE_REAL "real"

#endif
