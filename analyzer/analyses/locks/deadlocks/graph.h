/* Private to deadlocks/: which thread waited for which, and so which of them can never go on. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_GRAPH_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_GRAPH_H

#include "analyzer/analyses/locks/deadlocks/thread.h"

/* `ends`: by location. False: no memory; `deadlocks` is to be freed also then. */
bool graph_find(const struct trace *trace, const struct thread_end *ends, struct deadlocks *deadlocks);

#endif
