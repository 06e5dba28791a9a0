/* Reads the definitions of an archive (trace.h), and finds things in them. */
#ifndef HEDDLE_ANALYZER_TRACE_DEFINITIONS_H
#define HEDDLE_ANALYZER_TRACE_DEFINITIONS_H

#include "analyzer/trace/trace.h"
#include "base/error.h"

/* Reads the definitions of an archive: `path` is its .otf2 file or the directory of this file. NULL: an error. Free
 * with trace_close(). */
struct trace *trace_open(const char *path, struct error *error);
void trace_close(struct trace *trace);

/*
 * OTF2 also has locations of accelerators and of metrics. They have lanes, exports and lists of their own; their events
 * and time are not those of threads.
 */
static inline bool trace_is_thread(const struct trace *trace, uint32_t location)
{
  OTF2_LocationType kind = trace->locations[location].kind;
  return kind == OTF2_LOCATION_TYPE_CPU_THREAD || kind == OTF2_LOCATION_TYPE_UNKNOWN;
}

/* A thread that executes the program: none of the JVM's own, which work when no event says so, and no virtual one. */
static inline bool trace_is_program_thread(const struct trace *trace, uint32_t location)
{
  enum trace_thread_type type = trace->locations[location].type;
  return trace_is_thread(trace, location) && type != TRACE_THREAD_JVM && type != TRACE_THREAD_VIRTUAL;
}

/* A thread's name in a sentence. JOMP's threads are called 0, 1, ...: alone, that reads as a number in a table. */
static inline const char *trace_thread_said(const struct trace *trace, uint32_t location)
{
  const struct trace_location *thread = &trace->locations[location];
  return thread->said ? thread->said : thread->name;
}

/* Whether it is a processor: its events are which threads it ran. */
bool trace_is_processor(const struct trace *trace, uint32_t location);

/* The rank of a location in a team, or TRACE_NONE. */
uint32_t trace_team_rank(const struct trace_team *team, uint32_t location);

/* The name of a lock, which a person can use. NULL: the archive has none. */
const char *trace_lock_name(const struct trace *trace, uint64_t number);

/* The value of a property, or NULL. */
const char *trace_property(const struct trace *trace, enum trace_owner owner, uint32_t index, const char *name);

/* Whether waits of POSIX threads are recorded, of one process at least. */
bool trace_has_pthreads(const struct trace *trace);
/* How many processors a process may use; 0: unknown. */
uint64_t trace_processors(const struct trace *trace, uint32_t process);
/* Whether waits may have the attribute `callers`: those of Java, if they were wanted (--java stack=N). */
bool trace_may_have_callers(const struct trace *trace);

/* Whether all threads are a JVM's: its own, Java's, or workers of a pool in it. */
bool trace_is_of_java(const struct trace *trace);

#endif
