/* All states of one thread, in order. For the command `states`. */
#ifndef HEDDLE_ANALYZER_COMMANDS_STATES_LIST_H
#define HEDDLE_ANALYZER_COMMANDS_STATES_LIST_H

#include "analyzer/commands/analysis.h"

/* Prints them; wanted: the thread's number or name. False: an error. */
bool states_list_put(const struct analysis_run *run, const char *wanted, struct error *error);

#endif
