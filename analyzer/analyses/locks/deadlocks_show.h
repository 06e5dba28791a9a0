/* Prints which threads waited for each other when the run ended. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_SHOW_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_SHOW_H

#include "analyzer/analyses/locks/deadlocks/deadlocks.h"
#include "analyzer/command/analysis.h"

/* A table `deadlocks`, and a table `waiting` of what else waited when a run was killed; each if it has rows. */
void deadlocks_show(const struct analysis_run *run, const struct deadlocks *deadlocks);
/* A sentence for each of them, for commands that print no findings. False: no memory. */
bool deadlocks_say(const struct analysis_run *run, const struct deadlocks *deadlocks);

#endif
