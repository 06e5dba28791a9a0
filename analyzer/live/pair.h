/* A metric of a focus, over time: self time of a construct on a thread, RUN of all threads, ... */
#ifndef HEDDLE_ANALYZER_LIVE_PAIR_H
#define HEDDLE_ANALYZER_LIVE_PAIR_H

#include "analyzer/live/history.h"
#include "analyzer/live/reading.h"

enum live_metric {
  /* Of a construct. */
  LIVE_SELF,
  LIVE_EXECUTIONS,
  LIVE_WAITING, /* at the barrier, at the ends of the region, or for the lock */
  /* Of threads. */
  LIVE_RUN,
  LIVE_SYNCH, /* and BLOCKED */
  LIVE_IDLE,
  LIVE_METRICS
};

struct live_focus {
  uint32_t location; /* TRACE_NONE: all threads */
  uint32_t region;   /* of the first three metrics */
};

struct live_pair {
  enum live_metric metric;
  struct live_focus focus;
  struct live_history history; /* ticks; of LIVE_EXECUTIONS their number */
  double latest;               /* a tick, between the last two readings */
};

/* "self time", "RUN", ... */
const char *live_metric_name(enum live_metric metric);

/* How often a row's construct was executed. One thread executes the regions that it joins. */
uint64_t live_executions(const struct profile_row *row, bool one_thread);

/* The time of a thread in the states of such a metric, LIVE_RUN or a later one. */
wide_total live_time_in(enum live_metric metric, const struct states_thread *thread);

/* Adds what came between the reading before, at `from`, and this one; `sums`: profiled_states() of it. */
void live_pair_add(struct live_pair *pair, const struct live_reading *between, const struct states_sums *sums,
                   uint64_t from);

#endif
