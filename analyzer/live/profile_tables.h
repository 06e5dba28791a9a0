/*
 * Tables of a profile, which the commands `imbalance`, `locks`, `states` and `profile` print in place of their tables
 * of events (struct analysis, work_on_profile). own: the command's options; NULL: the default ones.
 */
#ifndef HEDDLE_ANALYZER_LIVE_PROFILE_TABLES_H
#define HEDDLE_ANALYZER_LIVE_PROFILE_TABLES_H

#include "analyzer/command/analysis.h"

bool profiled_imbalance_work(const struct analysis_run *run, const void *own, struct error *error);
bool profiled_locks_work(const struct analysis_run *run, const void *own, struct error *error);
/* Defined in analyses/states/states.c and profile_command.c. */
bool profiled_states_work(const struct analysis_run *run, const void *own, struct error *error);
bool profiled_rows_work(const struct analysis_run *run, const void *own, struct error *error);

struct profiled;

struct profiled_shown {
  bool by_thread;
  bool narrow;  /* in text: the columns that fit on a terminal */
  uint64_t top; /* rows; 0: all */
};
/* The rows of a profile by self time. False: out of memory. */
bool profiled_rows_put(const struct analysis_run *run, const struct profiled *profile, struct profiled_shown how);
/* Tasks made, chunks, locks by name, events, ... False: out of memory. */
bool profiled_metrics_put(const struct analysis_run *run, const struct profiled *profile, struct profiled_shown how);
/* Samples of functions, from the sums of all threads or of each; top: rows, 0: all. */
bool profiled_samples_put(const struct analysis_run *run, const struct profiled *sums, uint64_t top);
/* The waits at barriers, and the waits for locks. False: out of memory. */
bool profiled_waits_put(const struct analysis_run *run, const struct profiled *profile);
bool profiled_locks_put(const struct analysis_run *run, const struct profiled *profile);

#endif
