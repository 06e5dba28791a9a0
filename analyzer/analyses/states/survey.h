/*
 * Counts and sums that need no order of time across locations: the census of events, the states of one thread, and
 * sums.h.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_STATES_SURVEY_H
#define HEDDLE_ANALYZER_ANALYSES_STATES_SURVEY_H

#include "analyzer/analyses/states/sums.h"
#include "analyzer/trace/pass/pass.h"

/* How many events of each kind an archive has, and how often each region was entered (by weight). */

struct census {
  uint64_t kinds[TRACE_KINDS];
  uint64_t *enters;     /* one a region; by weight */
  uint64_t first, last; /* times of the first and the last event; first > last: there are none */
  uint32_t threads;     /* with events */
  uint64_t events;      /* all */
  uint32_t regions;     /* of the trace */
};

/* Counts in a pass of either kind; its result is a struct census. Merges the results of any locations. */
extern const struct analysis census_analysis;

/* All states of one thread, in order of time. */

/*
 * Calls `sink` for each interval of one state in one construct; neighbours differ in one of the two. Their durations
 * add up to the analyzed part of the thread's lifetime. False: an error.
 */
bool states_list(const struct trace *trace, uint32_t location, state_sink *sink, void *context, struct error *error);

#endif
