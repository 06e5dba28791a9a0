/* What the tables of tasks and of virtual threads have in common. */
#ifndef HEDDLE_ANALYZER_ANALYSES_TASKS_TASK_CELLS_H
#define HEDDLE_ANALYZER_ANALYSES_TASKS_TASK_CELLS_H

#include "analyzer/command/analysis.h"
#include "base/statistics.h"

/* A region of the trace; one named `(unknown)` for TRACE_NONE. */
const struct trace_region *task_region(const struct analysis_run *run, uint32_t region);
/* The length that `part` of them do not exceed, and the longest one; none where there are no lengths. */
struct print_cell length_cell(const struct lengths *lengths, double part);
struct print_cell longest_cell(const struct lengths *lengths);

#endif
