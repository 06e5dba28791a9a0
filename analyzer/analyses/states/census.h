/* How many events of each kind an archive has, and how often each region was entered (by weight). */
#ifndef HEDDLE_ANALYZER_ANALYSES_STATES_CENSUS_H
#define HEDDLE_ANALYZER_ANALYSES_STATES_CENSUS_H

#include "analyzer/trace/pass/pass.h"

struct census {
  uint64_t kinds[TRACE_KINDS];
  uint64_t *enters;     /* one a region; by weight */
  uint64_t first, last; /* times of the first and the last event; first > last: there are none */
  uint32_t threads;     /* with events */
  uint64_t events;      /* all */
  uint32_t regions;     /* of the trace */
};

/* Counts in a pass of either kind; its result is a struct census. Merges those of any locations. */
extern const struct analysis census_analysis;

#endif
