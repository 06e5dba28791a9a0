#include "analyzer/analyses/account/forever.h"

#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

bool process_was_killed(const struct trace *trace, uint32_t process)
{
  const char *ended = trace_property(trace, TRACE_OF_PROCESS, process, PROCESS_ENDED);
  return ended && strncmp(ended, VALUE_ENDED_SIGNAL, strlen(VALUE_ENDED_SIGNAL)) == 0;
}

static bool stays(const struct last_wait *waits, uint32_t location, bool ends)
{
  uint32_t by = waits[location].by;
  return by == TRACE_NONE ? !ends : waits[by].lives && waits[by].forever;
}

bool find_forever(const struct trace *trace, struct last_wait *waits)
{
  bool *ends = malloc((size_t)trace->process_count + 1); /* by process: a thread goes on, or nobody killed it */
  if (!ends)
    return false;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < trace->process_count; i++)
      ends[i] = !process_was_killed(trace, i);
    for (uint32_t i = 0; i < trace->location_count; i++)
      if (trace->locations[i].process != TRACE_NONE && waits[i].lives && !waits[i].forever)
        ends[trace->locations[i].process] = true;
    for (uint32_t i = 0; i < trace->location_count; i++) {
      uint32_t process = trace->locations[i].process;
      if (!waits[i].forever || stays(waits, i, process == TRACE_NONE || ends[process]))
        continue;
      waits[i].forever = false;
      more = true;
    }
  }
  free(ends);
  return true;
}
