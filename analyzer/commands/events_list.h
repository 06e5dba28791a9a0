/* `heddle events --list`: the single events in order of time. */
#ifndef HEDDLE_ANALYZER_COMMANDS_EVENTS_LIST_H
#define HEDDLE_ANALYZER_COMMANDS_EVENTS_LIST_H

#include "analyzer/commands/analysis.h"
#include "analyzer/points/points.h"

/* False: an error. */
bool events_list_put(const struct analysis_run *run, const struct point_selection *selection, struct error *error);

#endif
