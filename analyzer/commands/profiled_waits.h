/*
 * What the commands `imbalance`, `locks`, `states` and `profile` print of a profile, as far as sums go (struct
 * analysis, work_on_profile). own: the command's options; NULL: the default ones.
 */
#ifndef HEDDLE_ANALYZER_COMMANDS_PROFILED_WAITS_H
#define HEDDLE_ANALYZER_COMMANDS_PROFILED_WAITS_H

#include "analyzer/commands/analysis.h"

bool profiled_imbalance_work(const struct analysis_run *run, const void *own, struct error *error);
bool profiled_locks_work(const struct analysis_run *run, const void *own, struct error *error);
/* states.c and profile.c */
bool profiled_states_work(const struct analysis_run *run, const void *own, struct error *error);
bool profiled_rows_work(const struct analysis_run *run, const void *own, struct error *error);

#endif
