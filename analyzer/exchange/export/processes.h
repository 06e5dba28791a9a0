/* Private to export/: processes as formats show them. The threads without a process have one of their own, the last. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_PROCESSES_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_PROCESSES_H

#include "analyzer/trace/restriction.h"

/* The process of a location; process_count: none. */
static inline uint32_t process_of(const struct trace *trace, uint32_t location)
{
  uint32_t process = trace->locations[location].process;
  return process < trace->process_count ? process : trace->process_count;
}

/* Whether a process is shown: not if all its threads are left out, and the last one, process_count, only if it has any.
 */
static inline bool process_is_shown(const struct trace *trace, uint32_t process)
{
  bool always = process < trace->process_count, any = false;
  if (always && !trace->restriction.locations)
    return true;
  for (uint32_t i = 0; i < trace->location_count; i++) {
    if (process_of(trace, i) != process)
      continue;
    if (!trace->locations[i].left_out)
      return true;
    any = true;
  }
  return always && !any;
}

/* "": it has no name. */
static inline const char *process_name(const struct trace *trace, uint32_t process)
{
  return process < trace->process_count ? trace->processes[process].name : "";
}

#endif
