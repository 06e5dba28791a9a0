#include "analyzer/trace/bound_to.h"

#include "analyzer/trace/definitions.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>

bool trace_bound_to(const struct trace *trace, uint32_t location, cpu_set_t *set)
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
