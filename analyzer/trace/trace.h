/*
 * An archive's definitions, resolved: references have become indices and pointers, and no string is NULL (the archive
 * may have none: ""). After trace_open() (definitions.h) any thread may read them.
 */
#ifndef HEDDLE_ANALYZER_TRACE_TRACE_H
#define HEDDLE_ANALYZER_TRACE_TRACE_H

#include "base/hash.h"
#include "base/vector.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A map from 64-bit keys (references of OTF2 definitions) to 32-bit indices. References usually count from 0, and every
 * event looks one up: small keys are places in an array, the others are hashed. Any number of threads may look up while
 * none inserts.
 */

#define REF_MAP_NONE  UINT32_MAX
#define REF_MAP_SMALL 65536 /* keys below are small: so a single one of them costs 256 KiB at most */

struct ref_map {
  VECTOR(uint32_t) small; /* by key; REF_MAP_NONE where there is no value */
  struct hash large;
};

/* The value of a key, or REF_MAP_NONE. */
static inline uint32_t ref_map_get(const struct ref_map *map, uint64_t key)
{
  if (key < map->small.count)
    return map->small.items[key];
  const uint64_t *value = hash_find(&map->large, key);
  return value ? (uint32_t)*value : REF_MAP_NONE;
}

/* Inserts or replaces; value must not be REF_MAP_NONE. False: no memory, and the map is unchanged. */
bool ref_map_set(struct ref_map *map, uint64_t key, uint32_t value);
void ref_map_free(struct ref_map *map);

/* Private to trace/. The value of an OTF2 attribute or property as a number: true and the number for every unsigned
 * type. */
static inline bool value_unsigned(OTF2_Type type, OTF2_AttributeValue value, uint64_t *number)
{
  switch (type) {
  case OTF2_TYPE_UINT8:
    *number = value.uint8;
    return true;
  case OTF2_TYPE_UINT16:
    *number = value.uint16;
    return true;
  case OTF2_TYPE_UINT32:
    *number = value.uint32;
    return true;
  case OTF2_TYPE_UINT64:
    *number = value.uint64;
    return true;
  default:
    return false;
  }
}

/* True and the number for every signed type. */
static inline bool value_signed(OTF2_Type type, OTF2_AttributeValue value, int64_t *number)
{
  switch (type) {
  case OTF2_TYPE_INT8:
    *number = value.int8;
    return true;
  case OTF2_TYPE_INT16:
    *number = value.int16;
    return true;
  case OTF2_TYPE_INT32:
    *number = value.int32;
    return true;
  case OTF2_TYPE_INT64:
    *number = value.int64;
    return true;
  default:
    return false;
  }
}

#define TRACE_NONE UINT32_MAX /* no region, no team, ... */

struct trace_region {
  const char *name;        /* as viewers show it, `!$omp for @lu.c:42` */
  const char *function;    /* the function it is in */
  const char *description; /* facts: `key: value; key: value` */
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
  TRACE_THREAD_JAVA,
  TRACE_THREAD_VIRTUAL, /* in a deadlock; its carriers have what it did */
  TRACE_THREAD_OTHER
};

struct trace_location {
  OTF2_LocationRef ref;
  const char *name;
  char *said;       /* `thread "1"`: the name in a sentence if it is a number; else NULL (trace_thread_said()) */
  uint64_t events;  /* as the archive says; 0: none, or unknown */
  uint32_t process; /* index, or TRACE_NONE */
  OTF2_LocationType kind;
  enum trace_thread_type type; /* HEDDLE::THREAD_TYPE */
  bool excluded;               /* not analyzed (trace_exclude(), restriction.h) */
};

struct trace_process {
  const char *name;
};

/* A team of threads. Members are sorted by location; the rank of a member is its place in `members`. */
struct trace_team {
  uint32_t *members; /* indices of locations */
  uint32_t size;
};

/* An attribute that events can have. */
struct trace_attribute_name {
  const char *name;
  bool of_user; /* of the program's own events */
};

/* What a value of a Metric event measures. */
struct trace_metric_unit {
  const char *name;
  int8_t exponent; /* a value of 1 is 10 to this power of it */
};

/* The metrics of a Metric event, such as several counters of a processor. */
struct trace_metric_class {
  uint32_t *metrics; /* indices; TRACE_NONE: undefined */
  uint32_t count;
};

enum trace_owner { TRACE_OF_ARCHIVE, TRACE_OF_PROCESS, TRACE_OF_LOCATION };

struct trace_property {
  enum trace_owner owner;
  uint32_t index; /* of the process or location */
  uint32_t next;  /* index of the owner's next property, or TRACE_NONE */
  char *name, *value;
};

static inline uint64_t trace_owner_key(enum trace_owner owner, uint32_t index)
{
  return (uint64_t)owner << 32 | index;
}

/* The analyzed part of a trace (restriction.h). Passes (analyzer/trace/pass) deliver only this part. */
struct trace_restriction {
  bool timed;        /* only from <= time < to, in ticks; to UINT64_MAX: up to the run's end */
  bool locations;    /* some are excluded */
  bool passes_jvm;   /* the JVM's own threads, and virtual ones, are passed over, which is no restriction */
  uint64_t from, to; /* if timed */
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
  struct trace_metric_unit *metric_units;
  bool *metric_counts; /* by metric: its values add up since the measurement's begin */
  struct trace_metric_class *metric_classes;
  struct trace_attribute_name *attributes;
  uint32_t region_count, location_count, process_count, team_count, property_count, metric_count, metric_class_count,
      attribute_count;
  struct ref_map region_of, location_of, team_of, metric_class_of; /* OTF2 reference -> index */
  struct ref_map attribute_of;                                     /* likewise; one index a name (attributes.h) */
  struct ref_map first_property;                                   /* trace_owner_key() -> index */
  struct ref_map lock_names; /* number of a lock -> index of a property, which is in no owner's list */

  uint64_t ticks_per_second;
  uint64_t first_tick;  /* global offset */
  uint64_t length;      /* ticks */
  uint64_t realtime_ns; /* wall clock at first_tick, UNIX ns; UINT64_MAX: unknown */
  struct trace_restriction restriction;
  bool threads_level; /* states are states of threads, which know no programming model (states/machine.h) */

  /* Attributes that analyses use; OTF2_UNDEFINED_ATTRIBUTE: the archive has none. */
  OTF2_AttributeRef first_iteration, iterations, chunks, derived;
  OTF2_AttributeRef omitted_construct, instances, joined, inside, time;
  OTF2_AttributeRef object_class, object, owner, owner_place, pinned, thread, virtual_thread, closed, lock, callers;
  OTF2_AttributeRef uncontended, tried, timed_out, interrupted, ended;
  OTF2_AttributeRef row, self, longest, contended, waiting, since_begin; /* for profiles, like the next line */
  OTF2_AttributeRef metric, number, about, value_of, around, held, sum, last, real_sum, real_last; /* likewise */
  OTF2_AttributeRef durations[64]; /* [k]: executions shorter than 2^k */
  OTF2_AttributeRef weight;        /* struct trace_event has it (stream.h) */
  struct ref_map dependences;      /* the attributes that name dependences of a task: trace_task_depends() */

  char **strings; /* the texts of the pointers above */
  uint32_t string_count;
  struct ref_map string_of; /* reference -> index in strings, for attributes */
};

#endif
