#include "analyzer/trace/restriction.h"

void trace_restrict_time(struct trace *trace, uint64_t from, uint64_t to)
{
  trace->restriction.timed = true;
  trace->restriction.from = from;
  trace->restriction.to = to;
}

void trace_exclude(struct trace *trace, uint32_t location)
{
  trace->restriction.locations = true;
  trace->locations[location].excluded = true;
}

void trace_exclude_processors(struct trace *trace)
{
  for (uint32_t i = 0; i < trace->location_count; i++)
    trace->locations[i].excluded |= trace_is_processor(trace, i);
}

static bool is_jvms(const struct trace *trace, uint32_t location)
{
  return trace->locations[location].type == TRACE_THREAD_JVM;
}

void trace_exclude_jvm(struct trace *trace)
{
  bool others = false;
  for (uint32_t i = 0; i < trace->location_count; i++)
    others |= trace_is_thread(trace, i) && !is_jvms(trace, i);
  for (uint32_t i = 0; others && i < trace->location_count; i++)
    if (is_jvms(trace, i))
      trace->restriction.passes_jvm = trace->locations[i].excluded = true;
}

void trace_exclude_virtual(struct trace *trace)
{
  for (uint32_t i = 0; i < trace->location_count; i++)
    if (trace->locations[i].type == TRACE_THREAD_VIRTUAL)
      trace->restriction.passes_jvm = trace->locations[i].excluded = true;
}

uint32_t trace_team_looked_at(const struct trace *trace, const struct trace_team *team)
{
  uint32_t count = team->size;
  for (uint32_t i = 0; trace->restriction.locations && i < team->size; i++)
    count -= trace->locations[team->members[i]].excluded;
  return count;
}
