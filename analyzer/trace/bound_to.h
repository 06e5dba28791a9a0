/* The processors that a thread is bound to, as its definition has them (LOCATION_BOUND_TO). */
#ifndef HEDDLE_ANALYZER_TRACE_BOUND_TO_H
#define HEDDLE_ANALYZER_TRACE_BOUND_TO_H

#include "analyzer/trace/trace.h"

#include <sched.h>

/* The processors on which a thread may run; false: on all, or it is not known. */
bool trace_bound_to(const struct trace *trace, uint32_t location, cpu_set_t *set);

#endif
