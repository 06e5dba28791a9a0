/*
 * Restricts the analyzed part of a trace to a stretch of time and to some locations. Set once, after trace_open() and
 * before any event is read; a pass (analyzer/trace/pass) delivers only this part, and results cover only this part.
 */
#ifndef HEDDLE_ANALYZER_TRACE_RESTRICTION_H
#define HEDDLE_ANALYZER_TRACE_RESTRICTION_H

#include "analyzer/trace/definitions.h"

/* Analyzes events at `from` <= time < `to`, ticks of the trace, from < to; to UINT64_MAX: up to the run's end. */
void trace_restrict_time(struct trace *trace, uint64_t from, uint64_t to);
void trace_exclude(struct trace *trace, uint32_t location);
/* Passes over lines of processors. This is no restriction: threads have all that they show. */
void trace_exclude_processors(struct trace *trace);
/* The same for the JVM's own threads, unless all threads are. */
void trace_exclude_jvm(struct trace *trace);
/* The same for virtual threads, whose carriers have what they did. */
void trace_exclude_virtual(struct trace *trace);

static inline bool trace_is_restricted(const struct trace *trace)
{
  return trace->restriction.timed || trace->restriction.locations;
}

/* Whether a tick is analyzed. */
static inline bool trace_time_is_inside(const struct trace *trace, uint64_t time)
{
  return !trace->restriction.timed || (time >= trace->restriction.from && time < trace->restriction.to);
}

/* Whether all of the time from `begin` to `end` is analyzed. */
static inline bool trace_time_is_whole(const struct trace *trace, uint64_t begin, uint64_t end)
{
  return trace_time_is_inside(trace, begin) && trace_time_is_inside(trace, end);
}

/* Whether a part of the time from `begin` to `end` is analyzed. */
static inline bool trace_time_overlaps(const struct trace *trace, uint64_t begin, uint64_t end)
{
  return !trace->restriction.timed || (end >= trace->restriction.from && begin < trace->restriction.to);
}

/* The time, or the first analyzed tick if this is later. */
static inline uint64_t trace_time_from(const struct trace *trace, uint64_t time)
{
  return trace->restriction.timed && time < trace->restriction.from ? trace->restriction.from : time;
}

/* The time, or the first tick after the analyzed stretch if this is earlier. */
static inline uint64_t trace_time_to(const struct trace *trace, uint64_t time)
{
  return trace->restriction.timed && time > trace->restriction.to ? trace->restriction.to : time;
}

/* How many members of a team are analyzed. */
uint32_t trace_team_looked_at(const struct trace *trace, const struct trace_team *team);

#endif
