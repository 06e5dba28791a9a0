#include "analyzer/trace/restriction.h"

void trace_restrict_time(struct trace *trace, uint64_t from, uint64_t to)
{
  trace->restriction.timed = true;
  trace->restriction.from = from;
  trace->restriction.to = to;
}

void trace_leave_out(struct trace *trace, uint32_t location)
{
  trace->restriction.locations = true;
  trace->locations[location].left_out = true;
}

void trace_leave_out_processors(struct trace *trace)
{
  for (uint32_t i = 0; i < trace->location_count; i++)
    trace->locations[i].left_out |= trace_is_processor(trace, i);
}

uint32_t trace_team_looked_at(const struct trace *trace, const struct trace_team *team)
{
  uint32_t count = team->size;
  for (uint32_t i = 0; trace->restriction.locations && i < team->size; i++)
    count -= trace->locations[team->members[i]].left_out;
  return count;
}
