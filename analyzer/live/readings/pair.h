/* A metric of a focus, over time: self time of a construct on a thread, RUN of all threads, ... */
#ifndef HEDDLE_ANALYZER_LIVE_READINGS_PAIR_H
#define HEDDLE_ANALYZER_LIVE_READINGS_PAIR_H

#include "analyzer/live/readings/asked.h"
#include "analyzer/live/readings/history.h"
#include "analyzer/live/readings/metric.h"

struct live_focus {
  uint32_t location; /* TRACE_NONE: all threads */
  uint32_t region;   /* of the first three metrics */
};

struct live_pair {
  enum live_metric metric;
  struct live_focus focus;
  const struct live_asked *asked; /* in place of metric and focus (asked.h), the caller's; NULL: not */
  struct live_history history;    /* ticks, or numbers if it counts */
  double latest;                  /* a tick, between the last two readings */
};

/* It is a number, else a time. */
bool live_pair_counts(const struct live_pair *pair);
/* What the program has to measure for it: LIVE_NEED_... */
uint32_t live_pair_needs(const struct live_pair *pair);

/* Adds what came between the reading before, at `from`, and this one; `sums`: profiled_states() of it. */
void live_pair_add(struct live_pair *pair, const struct live_reading *between, const struct states_sums *sums,
                   uint64_t from);

#endif
