/*
 * What the commands `imbalance`, `locks`, `states` and `profile` print of a profile, as far as sums go (struct
 * analysis, work_on_profile). own: the command's options; NULL: the default ones.
 */
#ifndef HEDDLE_ANALYZER_LIVE_PROFILED_WAITS_H
#define HEDDLE_ANALYZER_LIVE_PROFILED_WAITS_H

#include "analyzer/command/analysis.h"

bool profiled_imbalance_work(const struct analysis_run *run, const void *own, struct error *error);
bool profiled_locks_work(const struct analysis_run *run, const void *own, struct error *error);
/* states.c and profile.c */
bool profiled_states_work(const struct analysis_run *run, const void *own, struct error *error);
bool profiled_rows_work(const struct analysis_run *run, const void *own, struct error *error);

struct profiled;

struct profiled_shown {
  bool by_thread;
  bool narrow;  /* in text: the columns that fit on a terminal */
  uint64_t top; /* rows; 0: all */
};
/* The rows of a profile by self time. False: no memory. */
bool profiled_rows_put(const struct analysis_run *run, const struct profiled *profile, struct profiled_shown how);
/* profiled_metrics.c: tasks made, chunks, locks by name, events, ... False: no memory. */
bool profiled_metrics_put(const struct analysis_run *run, const struct profiled *profile, struct profiled_shown how);
/* profiled_samples.c: samples of functions, out of sums of all threads, or of each; top: rows, 0: all. */
bool profiled_samples_put(const struct analysis_run *run, const struct profiled *sums, uint64_t top);
/* The waits at barriers, and the waits for locks. False: no memory. */
bool profiled_waits_put(const struct analysis_run *run, const struct profiled *profile);
bool profiled_locks_put(const struct analysis_run *run, const struct profiled *profile);

#endif
