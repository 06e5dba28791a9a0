#include "analyzer/findings/bound.h"

#include "common/raw/archive_names.h"

#include <sched.h>
#include <stdlib.h>

/* The processors on which a thread may run; false: on all, or it is not known. */
static bool read_bound(const struct trace *trace, uint32_t location, cpu_set_t *set)
{
  const char *text = trace_property(trace, TRACE_OF_LOCATION, location, LOCATION_BOUND_TO);
  CPU_ZERO(set);
  while (text && *text) {
    char *end;
    unsigned long first = strtoul(text, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
    if (end == text || last >= CPU_SETSIZE)
      return false;
    for (unsigned long i = first; i <= last; i++)
      CPU_SET(i, set);
    text = *end == ',' ? end + 1 : end;
    if (text == end && *end)
      return false;
  }
  return CPU_COUNT(set) > 0;
}

uint32_t bound_threads(const struct analysis_results *of, size_t begin, size_t end, uint32_t *processors)
{
  const struct processors_row *rows = of->processors->rows.items;
  uint32_t threads = 0, last = TRACE_NONE;
  bool bound = true;
  cpu_set_t all, own;
  CPU_ZERO(&all);
  for (size_t i = begin; i < end; i++) {
    if (!rows[i].ready || rows[i].location == last)
      continue;
    last = rows[i].location;
    threads++;
    bound = bound && read_bound(of->trace, last, &own);
    if (bound)
      CPU_OR(&all, &all, &own);
  }
  *processors = bound ? (uint32_t)CPU_COUNT(&all) : 0;
  return threads;
}
