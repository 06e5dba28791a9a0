/* The metrics that a screen offers for a construct or a thread. */
#ifndef HEDDLE_ANALYZER_LIVE_READINGS_METRIC_H
#define HEDDLE_ANALYZER_LIVE_READINGS_METRIC_H

#include "analyzer/live/profile/profile.h"

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

/* "self time", "RUN", ... */
const char *live_metric_name(enum live_metric metric);

/* How often a row's construct was executed. One thread executes the regions that it joins. */
uint64_t live_executions(const struct profile_row *row, bool one_thread);

/* The time of a thread in the states of such a metric, LIVE_RUN or a later one. */
wide_total live_time_in(enum live_metric metric, const struct states_thread *thread);

#endif
