/*
 * Tasks by the line of their code: their number, queue and running times, makers and executing threads. Also the degree
 * to which they could be parallel. An ordered subscriber: one pass; memory depends on threads, sites, tasks that are
 * alive and the data that those depend on, never on events.
 *
 * The work of a run is what its threads do themselves: their own code, and what they are blocked for in the kernel (as
 * I/O). The span is the longest chain of work that had to be done one after the other. A task follows its maker's
 * earlier work and the tasks that it depends on. Taskwait, taskgroup, barriers and the end of a team follow the work
 * that they wait for. A task that its maker executed at once is a part of the maker. Locks do not count. Work by span
 * is how many threads the run could keep at work on average.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_TASKS_TASKS_H
#define HEDDLE_ANALYZER_ANALYSES_TASKS_TASKS_H

#include "analyzer/analyses/tasks/results.h"
#include "analyzer/trace/pass/pass.h"

/* Its result is a struct tasks. */
extern const struct analysis tasks_analysis;
/* The same for archives with pools of Java alone. Tasks of OpenMP take more memory. */
extern const struct analysis pool_tasks_analysis;

#endif
