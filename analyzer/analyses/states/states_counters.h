/* Counts in each state of a thread or construct. For the command `states`. */
#ifndef HEDDLE_ANALYZER_ANALYSES_STATES_STATES_COUNTERS_H
#define HEDDLE_ANALYZER_ANALYSES_STATES_STATES_COUNTERS_H

#include "analyzer/analyses/counters/counters.h"
#include "analyzer/command/analysis.h"

/* Adds up in a pass of its own, and prints a table. False: an error. */
bool states_counters_put(const struct analysis_run *run, bool by_region, struct error *error);

#endif
