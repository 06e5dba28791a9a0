/* Metrics of a construct or a thread over time, as the screen shows them; and their history. */
#ifndef HEDDLE_ANALYZER_LIVE_READINGS_METRIC_FOCUS_H
#define HEDDLE_ANALYZER_LIVE_READINGS_METRIC_FOCUS_H

#include "analyzer/live/profile/profile.h"
#include "analyzer/live/readings/metric_request.h"

#include <stddef.h>
#include <stdint.h>

#define LIVE_HISTORY_BINS 500

/*
 * History of a sum in a fixed number of bins: when all are full, two neighbours become one, and a bin is twice as wide.
 * The bins cover the whole time, and their sum is exactly the sum of all amounts. Times are ticks.
 */
struct live_history {
  uint64_t begin;
  uint64_t width; /* of a bin; not 0 */
  uint64_t end;   /* the latest time so far, since the begin; it may lie in the last used bin */
  size_t used;    /* bins that have begun */
  uint64_t bins[LIVE_HISTORY_BINS];
};

void live_history_begin(struct live_history *history, uint64_t begin, uint64_t width);

/* Spreads an amount evenly over a time. The part before the begin, or an amount without time, goes to the nearest bin.
 */
void live_history_add(struct live_history *history, uint64_t from, uint64_t to, uint64_t amount);

/* The amount a tick in a bin, over the part of the bin that is past. */
double live_history_density(const struct live_history *history, size_t bin);

/* Begins a history with the same bins, all empty. */
void live_history_like(struct live_history *history, const struct live_history *other);

/* The subject of a metric: self time of a construct on a thread, RUN of all threads, ... */
struct live_focus {
  uint32_t location; /* TRACE_NONE: all threads */
  uint32_t region;   /* of the first three metrics */
};

struct live_pair {
  enum live_metric metric;
  struct live_focus focus;
  const struct live_asked *asked; /* in place of metric and focus, the caller's; NULL: none */
  struct live_history history;    /* ticks, or numbers if it counts */
  double latest;                  /* amount a tick, between the last two readings */
};

/* True if the metric is a number, false if it is a time. */
bool live_pair_counts(const struct live_pair *pair);
/* The groups that the program must measure for it: LIVE_NEED_... */
uint32_t live_pair_needs(const struct live_pair *pair);

/* Adds the difference between the reading at `from` and the next one. `sums`: its profiled_states(). */
void live_pair_add(struct live_pair *pair, const struct live_reading *between, const struct states_sums *sums,
                   uint64_t from);

#endif
