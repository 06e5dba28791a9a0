/*
 * Points: events without duration that mean something by themselves. The program's own are those of heddle_event().
 * Heddle's are notifications, task creations, acquisitions of locks and the like. A point has a type (a name) and
 * attributes. Begin here; sums.h adds them up, stream.h hands them out in order of time.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_EVENTS_POINTS_H
#define HEDDLE_ANALYZER_ANALYSES_EVENTS_POINTS_H

#include "analyzer/analyses/events/relation.h"
#include "analyzer/trace/attributes.h"

struct point {
  uint64_t time; /* ticks */
  uint32_t location;
  uint32_t type;                    /* point_type_name() */
  uint64_t weight;                  /* points that it stands for; 1: only itself */
  uint32_t count;                   /* of its values */
  const struct trace_value *values; /* valid during the call; attributes are those of point_attribute_name() */
};

enum point_origin { POINTS_OF_USER, POINTS_OF_HEDDLE, POINTS_OF_ALL };

/* Which points are wanted. The arrays are the caller's. */
struct point_selection {
  enum point_origin origin;
  const char *const *types; /* patterns as the shell's, one of which the name matches; none: all types */
  size_t type_count;
  const struct point_relation *relations; /* all of which hold */
  size_t relation_count;
};

/* The name of a type: a region's, or that of a kind of event as OTF2 has it (ThreadTaskCreate). */
const char *point_type_name(const struct trace *trace, uint32_t type);
/* True if the program made it. */
bool point_type_is_of_user(const struct trace *trace, uint32_t type);

/* The attributes of points are those of the trace, then some that events have by their kind (lock, task, ...). */
uint32_t point_attribute_count(const struct trace *trace);
const char *point_attribute_name(const struct trace *trace, uint32_t attribute);

#endif
