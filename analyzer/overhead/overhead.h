/*
 * How much recording slowed the program down, by estimate: the records of a thread times what one took when it was
 * measured at the program's start, plus what the recorder itself kept the thread for (TRACEFLUSH). What the runtime
 * does to call a tool is not in it, so the truth is rather more.
 */
#ifndef HEDDLE_ANALYZER_OVERHEAD_OVERHEAD_H
#define HEDDLE_ANALYZER_OVERHEAD_OVERHEAD_H

#include "analyzer/pass/pass.h"

#define OVERHEAD_TOO_MUCH 5.0 /* percent */

/* What constructs are, to those who want fewer of their events: what helps is the same for all of a kind. */
enum overhead_kind {
  OVERHEAD_OTHER,     /* barriers, taskwaits, masked */
  OVERHEAD_LOOPS,     /* bounded by --max-rate, by instances and by chunks */
  OVERHEAD_INSTANCES, /* parallel regions, sections, single, workshare: bounded by instances */
  OVERHEAD_LOCKS,     /* locks, critical, ordered, atomic: not bounded */
  OVERHEAD_TASKS,     /* likewise */
  OVERHEAD_USER,      /* the program's own; likewise */
  OVERHEAD_KINDS
};

/* Of the thread that recording cost most. */
struct overhead {
  uint32_t location;       /* TRACE_NONE: the archive does not say what recording cost */
  uint64_t recording;      /* ticks */
  uint64_t lifetime;       /* ticks; 0: recording is so little that it was not looked at */
  enum overhead_kind kind; /* with most of the events */
  uint32_t construct;      /* the region of that kind with most of them; TRACE_NONE: there is none */
  double share;            /* the construct's of all events, 0 to 1 */
  double kind_share;       /* the same of all constructs of the kind */
};

/*
 * In a pass of either kind (pass.h), which need not read other threads. NULL: no memory. After it: overhead_end(), or
 * overhead_drop() where it failed. The archive has what recording cost each thread in all, and not when: nothing is
 * known where the trace is restricted in time.
 */
struct overhead_counter;
struct overhead_counter *overhead_begin(const struct trace *trace, struct error *error);
const struct subscriber *overhead_subscriber(const struct overhead_counter *counter);
void overhead_end(struct overhead_counter *counter, struct overhead *overhead);
void overhead_drop(struct overhead_counter *counter);

/* By itself: reads the events of one thread, unless what recording cost is far below OVERHEAD_TOO_MUCH. False: an
 * error. */
bool overhead_estimate(const struct trace *trace, struct overhead *overhead, struct error *error);

/* Percent by which the thread was slowed down. */
static inline double overhead_percent(const struct overhead *overhead)
{
  bool known = overhead->lifetime > overhead->recording;
  return known ? 100.0 * (double)overhead->recording / (double)(overhead->lifetime - overhead->recording) : 0;
}

#endif
