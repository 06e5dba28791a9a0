/* Prints the table of callers, for commands that sum waits. */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_CALLERS_SHOW_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_CALLERS_SHOW_H

#include "analyzer/analyses/waits/callers/callers.h"
#include "analyzer/command/analysis.h"

/* Of the first `shown` groups; `group`: the key of their number, NULL: there is one group. Prints nothing if the trace
 * has no callers. */
void callers_show(const struct analysis_run *run, const struct callers *callers, const char *group, size_t shown);

#endif
