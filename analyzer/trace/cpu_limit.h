/* The limit of processor time of a run's control group, as a container has one (PROCESS_CPU_LIMIT, PROCESS_THROTTLED).
 */
#ifndef HEDDLE_ANALYZER_TRACE_CPU_LIMIT_H
#define HEDDLE_ANALYZER_TRACE_CPU_LIMIT_H

#include "analyzer/trace/trace.h"

struct cpu_limit {
  double processors; /* that the group may use at a time */
  bool told;         /* `stopped` is known: not of a process that was killed */
  double stopped;    /* ticks that the limit took from all processors; if a part of the run is analyzed, its share */
};

/*
 * The limit of the process that was stopped longest, or whose limit is the tightest: processes of one group say the
 * same. False: there is none, or it is not known.
 */
bool trace_cpu_limit(const struct trace *trace, struct cpu_limit *limit);

#endif
