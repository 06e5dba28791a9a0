/*
 * Cost of recording: an estimate of how much recording slowed the program down. It is a thread's records times the cost
 * of a record, measured at the program's start, plus the recorder's own work (TRACEFLUSH). The estimate is low: it is
 * without the runtime's cost of calling a tool.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_OVERHEAD_OVERHEAD_H
#define HEDDLE_ANALYZER_ANALYSES_OVERHEAD_OVERHEAD_H

#include "analyzer/trace/pass/pass.h"

/* Budget of recording, and what it took of the threads' time (`heddle record --budget`). */

struct budget {
  const char *text;     /* as in the archive, such as `5 %` or `none`; NULL: the archive has none */
  bool several;         /* processes have different budgets: `text` is the budget of the first one */
  wide_total recording; /* ticks of all threads of processes with a budget */
  wide_total lifetimes; /* ticks */
  uint32_t over;        /* threads whose recording took more than their budget, which also has a burst */
};

/*
 * Measures in a pass of either kind; its result is a struct budget. The archive has the cost of recording as one sum a
 * thread, so traces that are restricted in time have no `text`.
 */
extern const struct analysis budget_analysis;

/* The budget of the location's process, as in the archive; NULL: the archive has none. */
const char *overhead_budget_of(const struct trace *trace, uint32_t location);
/* True if the location's process was to record all instances of a construct (`heddle record --keep`). */
bool overhead_budget_keeps(const struct trace *trace, uint32_t location, uint32_t construct);
/* Ticks that recording may take on a thread that lives so long, with the burst at its begin. 0: there is no budget. */
uint64_t overhead_budget_ticks(const struct trace *trace, uint32_t location, uint64_t lifetime);

#define OVERHEAD_TOO_MUCH 5.0 /* percent; a budget may allow more */

/* Kinds of constructs: the same advice reduces the events of all constructs of a kind. */
enum overhead_kind {
  OVERHEAD_OTHER,     /* barriers, taskwaits, masked */
  OVERHEAD_LOOPS,     /* instances and chunks can be omitted */
  OVERHEAD_INSTANCES, /* parallel regions, sections, single, workshare: instances can be omitted */
  OVERHEAD_LOCKS,     /* locks, critical, ordered, atomic: no limit */
  OVERHEAD_TASKS,     /* no limit */
  OVERHEAD_USER,      /* the program's own events: no limit */
  OVERHEAD_KINDS
};

/* The thread with the highest cost of recording. */
struct overhead {
  uint32_t location;       /* TRACE_NONE: the archive does not have the cost of recording */
  uint64_t recording;      /* ticks */
  uint64_t lifetime;       /* ticks; 0: the cost is negligible, and nothing else is known */
  uint64_t bearable;       /* ticks that are not too much: within the budget of the process, which it may not have */
  enum overhead_kind kind; /* with the most events */
  uint32_t construct;      /* the region of this kind with the most events; TRACE_NONE: none */
  double share;            /* the construct's part of all events, 0 to 1 */
  double kind_share;       /* the part of all constructs of the kind */
};

/*
 * Counts in a pass of either kind, and needs only one thread; its result is a struct overhead. The archive has the cost
 * of recording as one sum a thread, so traces that are restricted in time have no estimate.
 */
extern const struct analysis overhead_analysis;

/* The estimate without a pass: reads the events of one thread, or of none if the cost is far below OVERHEAD_TOO_MUCH.
 * False: an error. */
bool overhead_estimate(const struct trace *trace, struct overhead *overhead, struct error *error);

/* Percent by which the thread was slowed down. */
static inline double overhead_percent(const struct overhead *overhead)
{
  bool known = overhead->lifetime > overhead->recording;
  return known ? 100.0 * (double)overhead->recording / (double)(overhead->lifetime - overhead->recording) : 0;
}

#endif
