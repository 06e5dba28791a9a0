/*
 * Waits and the threads that ended them: each place that waits, with the threads and source lines that ended its waits.
 * Also the critical path of each process. A wait has a waker if the trace has the action that ended it
 * (docs/heddle-waits.1.md). An ordered subscriber: memory depends on threads, places, open waits and live tasks, never
 * on events.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_WAITS_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_WAITS_H

#include "analyzer/analyses/waits/results.h"
#include "analyzer/trace/pass/pass.h"

struct waits_options {
  const struct waits_listener *listener; /* NULL: none. It outlives the analysis */
};

struct waits_found {
  struct waits waits;
  struct critical_paths paths;
};

/* Options: struct waits_options; result: struct waits_found. */
extern const struct analysis waits_analysis;

/* For paths that were taken out of a result. */
void critical_paths_free(struct critical_paths *paths);

#endif
