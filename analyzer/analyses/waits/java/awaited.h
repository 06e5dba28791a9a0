/*
 * Waits of Waits of Java without teams: what threads did while others waited for them, and how much of the processors'
 * time that cost. A wait (park, Object.wait, join, idleness of an executor's thread) that another thread ended is a
 * wait for that thread's activity meanwhile. The thread worked, slept, or was blocked in the kernel. What it waited for
 * itself is a wait of its own. Waits for locks are locks.h's.
 *
 * The run is cut into windows of equal length. In each, the program uses less than it could. Its capacity is the
 * largest number of threads at work at once in any window, times the window. This number is at least two if threads
 * wait for each other, and at most one a processor. The time that its threads worked, were stopped, waited for locks,
 * or could have run is subtracted. That is shared out among the waits of the window. Waits for the end of a thread get
 * what others leave: who starts threads and joins them does not work himself.
 *
 * For a part of the run, only waits that begin and end in it count.
 *
 * An ordered subject: memory depends on threads and places, never on events.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_JAVA_AWAITED_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_JAVA_AWAITED_H

#include "analyzer/trace/pass/pass.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The time of the processors that is not used, shared out among waits. */

#define AWAITED_WINDOWS 512 /* of the analyzed part */

/* Ticks of all threads in each window. */
struct window_sums {
  double ticks[AWAITED_WINDOWS];
};

/* Where the analyzed part begins, and how long it is. */
struct window_span {
  uint64_t begin, length; /* ticks; length 0: unknown */
};

/* The waits of one place. */
struct wait_share {
  bool join; /* they are for the end of a thread */
  struct window_sums waits;
  double won; /* the result */
};

/* Adds a stretch of time, `times` times. */
void window_sums_add(struct window_sums *sums, const struct window_span *span, uint64_t begin, uint64_t end,
                     double times);

struct windows_used {
  struct window_sums worked;  /* RUN, and READY: the program could not do more about these */
  struct window_sums stopped; /* GC */
  struct window_sums locked;  /* waits for locks */
};

/* Fills in `won` of all shares. processors: that the program may use; 0: unknown. */
void shares_find(const struct window_span *span, const struct windows_used *used, uint64_t processors,
                 struct wait_share *const *shares, size_t count);

enum awaited_did { AWAITED_WORKED, AWAITED_SLEPT, AWAITED_BLOCKED };

/* A thread that was awaited at a place. */
struct awaited_thread {
  uint32_t location;
  uint64_t ticks; /* of all waits for it */
};

struct awaited_place {
  enum awaited_did did;
  bool join;         /* the waits are for the end of a thread */
  bool idle;         /* the waits belong to an executor's threads without work */
  uint32_t region;   /* WORKED: where threads waited; SLEPT: where the awaited thread did; BLOCKED: TRACE_NONE */
  uint32_t location; /* the thread that was awaited longest at a time */
  struct awaited_thread *threads;
  size_t thread_count;
  uint64_t waited; /* ticks, of all waits */
  uint64_t worked; /* WORKED: ticks that the waiting threads worked, each since its wait before */
  double won;      /* ticks of the run that could be won if nobody had to wait so */
};

struct awaited {
  struct awaited_place *places; /* in no order */
  size_t count;
};

/* Finds them in a pass in order of time; its result is a struct awaited. */
extern const struct analysis awaited_analysis;

/* True if there can be any. */
bool awaited_exist(const struct trace *trace);

#endif
