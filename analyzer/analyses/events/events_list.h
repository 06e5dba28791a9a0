/* `heddle events --list`: the single events in order of time. */
#ifndef HEDDLE_ANALYZER_ANALYSES_EVENTS_EVENTS_LIST_H
#define HEDDLE_ANALYZER_ANALYSES_EVENTS_EVENTS_LIST_H

#include "analyzer/analyses/events/events.h"
#include "analyzer/command/analysis.h"

/* False: an error. */
bool events_list_put(const struct analysis_run *run, const struct point_selection *selection, struct error *error);

#endif
