/* All states of one thread, in order, and how long each of them was. For the command `states`. */
#ifndef HEDDLE_ANALYZER_ANALYSES_STATES_STATES_LIST_H
#define HEDDLE_ANALYZER_ANALYSES_STATES_STATES_LIST_H

#include "analyzer/command/analysis.h"

/* `wanted`: the thread's number or name. False: an error. */
bool states_list_put(const struct analysis_run *run, const char *wanted, struct error *error);

#endif
