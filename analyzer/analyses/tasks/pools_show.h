/* The pools of a Java program: how they shared their work, and whether their sizes fit. */
#ifndef HEDDLE_ANALYZER_ANALYSES_TASKS_POOLS_SHOW_H
#define HEDDLE_ANALYZER_ANALYSES_TASKS_POOLS_SHOW_H

#include "analyzer/analyses/tasks/tasks.h"
#include "analyzer/command/analysis.h"

/* Two tables, of pools and of their threads; nothing in text if there are none. */
void pools_put(const struct analysis_run *run, const struct tasks *tasks);
/* A sentence for each thing that stands out, in text. */
void pools_put_sentences(const struct analysis_run *run, const struct tasks *tasks);

#endif
