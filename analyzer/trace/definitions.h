/*
 * The definitions of an OTF2 archive, resolved: references have become indices and pointers, strings are always there
 * ("" where the archive has none). Read once; after that any thread may read them.
 */
#ifndef HEDDLE_ANALYZER_TRACE_DEFINITIONS_H
#define HEDDLE_ANALYZER_TRACE_DEFINITIONS_H

#include "analyzer/trace/ref_map.h"
#include "base/error.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

#define TRACE_NONE UINT32_MAX /* no region, no team, ... */

struct trace_region {
  const char *name;        /* as viewers show it, `!$omp for @lu.c:42` */
  const char *function;    /* the function it is in */
  const char *description; /* facts, `key: value; key: value` */
  const char *file;
  uint32_t line; /* 0: unknown */
  OTF2_RegionRole role;
  OTF2_Paradigm paradigm;
};

enum trace_thread_type {
  TRACE_THREAD_UNKNOWN,
  TRACE_THREAD_INITIAL,
  TRACE_THREAD_WORKER,
  TRACE_THREAD_JVM,
  TRACE_THREAD_OTHER
};

struct trace_location {
  OTF2_LocationRef ref;
  const char *name;
  uint64_t events;  /* as the archive says; 0 may also mean that it does not */
  uint32_t process; /* index, or TRACE_NONE */
  OTF2_LocationType kind;
  enum trace_thread_type type; /* HEDDLE::THREAD_TYPE */
  bool left_out;               /* not looked at (trace_leave_out(), restriction.h) */
};

struct trace_process {
  const char *name;
};

/* A team of threads. Members are sorted by location; a member's place in `members` is its rank here. */
struct trace_team {
  uint32_t *members; /* indices of locations */
  uint32_t size;
};

/* What a Metric event has values of, such as several counters of a processor. */
struct trace_metric_class {
  uint32_t *metrics; /* indices; TRACE_NONE: not defined */
  uint32_t count;
};

enum trace_owner { TRACE_OF_ARCHIVE, TRACE_OF_PROCESS, TRACE_OF_LOCATION };

struct trace_property {
  enum trace_owner owner;
  uint32_t index; /* of the process or location */
  char *name, *value;
};

/* What of a trace is looked at: all of it, unless restriction.h says otherwise. Passes (analyzer/pass) hold to it. */
struct trace_restriction {
  bool timed;        /* from <= time < to alone, in ticks; to UINT64_MAX: up to the run's end */
  bool locations;    /* some are left out */
  uint64_t from, to; /* where timed */
};

struct trace {
  char *anchor; /* path of the .otf2 file */
  const char *machine;
  char *creator;
  struct trace_region *regions;
  struct trace_location *locations;
  struct trace_process *processes;
  struct trace_team *teams;
  struct trace_property *properties;
  const char **metrics; /* names */
  struct trace_metric_class *metric_classes;
  uint32_t region_count, location_count, process_count, team_count, property_count, metric_count, metric_class_count;
  struct ref_map region_of, location_of, team_of, metric_class_of; /* OTF2 reference -> index */

  uint64_t ticks_per_second;
  uint64_t first_tick;  /* global offset */
  uint64_t length;      /* ticks */
  uint64_t realtime_ns; /* wall clock at first_tick, UNIX ns; UINT64_MAX: unknown */
  struct trace_restriction restriction;

  /* Attributes that mean something to the analyses; OTF2_UNDEFINED_ATTRIBUTE where the archive has none. */
  OTF2_AttributeRef first_iteration, iterations, chunks, derived;
  OTF2_AttributeRef skipped_construct, instances, joined, time;
  OTF2_AttributeRef object_class, object, owner, owner_place, thread, virtual_thread, closed;
  OTF2_AttributeRef weight, estimate; /* stream.h gives them with each event */
  struct ref_map dependences;         /* the attributes that name dependences of a task: trace_task_depends() */

  char **strings; /* what the pointers above point to */
  uint32_t string_count;
  struct ref_map string_of; /* of those that attributes refer to */
};

/*
 * Reads the definitions of an archive: `path` is its .otf2 file or the directory that holds it.
 * Returns NULL and the reason on failure. Free with trace_close().
 */
struct trace *trace_open(const char *path, struct error *error);
void trace_close(struct trace *trace);

/*
 * OTF2 has locations of accelerators and of metrics, too: what they do is in lanes, exports and lists of their own, but
 * not among what threads do, nor is their time a thread's.
 */
static inline bool trace_is_thread(const struct trace *trace, uint32_t location)
{
  OTF2_LocationType kind = trace->locations[location].kind;
  return kind == OTF2_LOCATION_TYPE_CPU_THREAD || kind == OTF2_LOCATION_TYPE_UNKNOWN;
}

/* The rank of a location in a team, or TRACE_NONE. */
uint32_t trace_team_rank(const struct trace_team *team, uint32_t location);

/* The value of a property, or NULL. */
const char *trace_property(const struct trace *trace, enum trace_owner owner, uint32_t index, const char *name);

#endif
