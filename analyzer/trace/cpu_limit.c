#include "analyzer/trace/cpu_limit.h"

#include "analyzer/trace/definitions.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>

#define FIGURE_MOST 1e15

static bool number_of(const struct trace *trace, uint32_t process, const char *name, double *number)
{
  const char *text = trace_property(trace, TRACE_OF_PROCESS, process, name);
  *number = text ? strtod(text, NULL) : -1;
  return *number >= 0 && *number < FIGURE_MOST;
}

/* The part of the run that is looked at. */
static double part_of(const struct trace *trace)
{
  const struct trace_restriction *part = &trace->restriction;
  if (!part->timed || trace->length == 0)
    return 1;
  uint64_t begin = trace->first_tick;
  uint64_t end = trace->length <= UINT64_MAX - begin ? begin + trace->length : UINT64_MAX;
  uint64_t from = part->from > begin ? part->from : begin, to = part->to < end ? part->to : end;
  return to > from ? (double)(to - from) / (double)(end - begin) : 0;
}

bool trace_cpu_limit(const struct trace *trace, struct cpu_limit *limit)
{
  bool found = false;
  for (uint32_t process = 0; process < trace->process_count; process++) {
    struct cpu_limit one;
    double us;
    if (!number_of(trace, process, PROCESS_CPU_LIMIT, &one.processors) || one.processors <= 0)
      continue;
    one.told = number_of(trace, process, PROCESS_THROTTLED, &us);
    one.stopped = one.told ? us * (double)trace->ticks_per_second / 1e6 * part_of(trace) : 0;
    bool longer = found && one.stopped > limit->stopped;
    bool tighter = found && one.stopped == limit->stopped && one.processors < limit->processors;
    if (!found || longer || tighter)
      *limit = one;
    found = true;
  }
  return found;
}
