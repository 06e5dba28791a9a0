/* Reads the definitions of an archive (trace.h), and finds things in them. */
#ifndef HEDDLE_ANALYZER_TRACE_DEFINITIONS_H
#define HEDDLE_ANALYZER_TRACE_DEFINITIONS_H

#include "analyzer/trace/trace.h"
#include "base/error.h"
#include "base/hash.h"

#include <stddef.h>

/*
 * Reads the definitions of an archive: `path` is its .otf2 file or the directory of this file. Where ranks of a job
 * have ended and one of them still converts, a caller that gives the directory waits for it. NULL: an error. Free with
 * trace_close().
 */
struct trace *trace_open(const char *path, struct error *error);
void trace_close(struct trace *trace);

/*
 * OTF2 also has locations of accelerators and of metrics. They have lanes, exports and lists of their own; their events
 * and time are not a thread's.
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
/* True if waits may have the attribute `callers`: waits of Java, if requested (--java stack=N). */
bool trace_may_have_callers(const struct trace *trace);

/* Whether all threads are a JVM's: its own, Java's, or workers of a pool in it. */
bool trace_is_of_java(const struct trace *trace);

/* Facts in a region's name and description, in the words of common/raw/archive_names.h. */

/* Whether the name begins with `begin`; the rest is the place. */
bool trace_region_begins(const struct trace_region *region, const char *begin);

/* Whether the name begins with a directive's (`!$omp task`), also in Java's form, a comment (`//omp task`). */
bool trace_region_is_directive(const struct trace_region *region, const char *name);

/* The value of a fact in the description; it ends at the next `;` or the end. NULL: no such fact. */
const char *trace_region_fact(const struct trace_region *region, const char *key);

/* Whether the description has the fact with this value. */
bool trace_region_says(const struct trace_region *region, const char *key, const char *value);

/*
 * Whether a region is at a place as `heddle record --keep` takes it: FILE:LINE, FILE:LINE-LINE, FILE, a function, or
 * the region's name. FILE is a path or its end.
 */
bool trace_region_is_at(const struct trace_region *region, const char *place, size_t size);

/* The locations of threads by the ids that events name them by, Java's (Thread.getId()) or the kernel's: a hash from
 * process << 32 | id. */

/* Adds or replaces. False: no memory. */
bool thread_ids_set(struct hash *threads, uint64_t process, uint64_t id, uint32_t location);

/* Java's threads whose locations name them. False: no memory. */
bool thread_ids_of_java(struct hash *threads, const struct trace *trace);

/* The same of the kernel's ids; several threads that had one in turn are TRACE_NONE. */
bool thread_ids_of_kernel(struct hash *threads, const struct trace *trace);

/* A thread begins: from now on the kernel's id is its own, which others may have had. False: no memory. */
bool thread_ids_begin(struct hash *threads, const struct trace *trace, uint32_t location);

/* TRACE_NONE: it is not in the trace. */
uint32_t thread_ids_find(const struct hash *threads, uint64_t process, uint64_t id);

/* Key of a number in a location's process. The same number means something else in another process. */
static inline uint64_t trace_key_in_process(const struct trace *trace, uint32_t location, uint64_t number)
{
  return hash_mix(number) ^ hash_mix(trace->locations[location].process + 0x1234567ull);
}

#endif
