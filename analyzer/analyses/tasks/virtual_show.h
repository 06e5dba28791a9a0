/* Virtual threads of Java, by the line that starts them. */
#ifndef HEDDLE_ANALYZER_ANALYSES_TASKS_VIRTUAL_SHOW_H
#define HEDDLE_ANALYZER_ANALYSES_TASKS_VIRTUAL_SHOW_H

#include "analyzer/analyses/tasks/tasks.h"
#include "analyzer/command/analysis.h"

/* A table of `shown` lines at most, and a sentence where they wait for carriers; nothing if there are none. */
void virtual_threads_put(const struct analysis_run *run, const struct tasks *tasks, size_t shown);

#endif
