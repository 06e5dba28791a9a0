/* How much of the time in which threads waited they had no processor. For the command `states`. */
#ifndef HEDDLE_ANALYZER_ANALYSES_STATES_STATES_OFF_H
#define HEDDLE_ANALYZER_ANALYSES_STATES_STATES_OFF_H

#include "analyzer/analyses/states/sums.h"
#include "analyzer/command/analysis.h"

/* Prints a table of the states that keep time without a processor; nothing if there are none. */
void states_off_put(const struct analysis_run *run, const struct states_sums *sums);

#endif
