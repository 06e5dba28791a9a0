/*
 * Points are events without duration that mean something by themselves. The program's own points come from
 * heddle_event(). Heddle's are notifications, task creations, acquisitions of locks and the like. A point has a type (a
 * name) and attributes. Begin here; sums.h adds them up, stream.h hands them out in order of time.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_EVENTS_EVENTS_H
#define HEDDLE_ANALYZER_ANALYSES_EVENTS_EVENTS_H

#include "analyzer/trace/attributes.h"
#include "base/error.h"
#include "base/pool.h"
#include "base/vector.h"

#include <stddef.h>

/* A relation between an attribute of an event and a number or a text: `norm > 0.5`, `object class == java.util.List`.
 */

enum relation_operator {
  RELATION_LESS,
  RELATION_AT_MOST,
  RELATION_EQUAL,
  RELATION_AT_LEAST,
  RELATION_MORE,
  RELATION_UNEQUAL
};

/* Texts belong to what was read. */
struct point_relation {
  const char *name;
  size_t length; /* of the name */
  enum relation_operator relates;
  const char *text;   /* the right side */
  bool numeric;       /* which is also a number: */
  long double number; /* exact for integers of 64 bits */
};

/* Reads `NAME OPERATOR VALUE`, with or without blanks; = is ==. False: it is none. */
bool point_relation_read(const char *text, struct point_relation *relation);

/* True if it is about the attribute of this name. */
bool point_relation_is_about(const struct point_relation *relation, const char *name);

/* True if it holds for a value. Numbers are compared with numbers alone; texts are equal or not. */
bool point_relation_holds(const struct point_relation *relation, const struct trace_value *value);

struct point {
  uint64_t time; /* ticks */
  uint32_t location;
  uint32_t type;                    /* point_type_name() */
  uint64_t weight;                  /* points that it stands for; 1: only itself */
  uint32_t count;                   /* of its values */
  const struct trace_value *values; /* valid during the call; attributes are numbered as in point_attribute_name() */
};

enum point_origin { POINTS_OF_USER, POINTS_OF_HEDDLE, POINTS_OF_ALL };

/* Which points are wanted. The arrays are the caller's. */
struct point_selection {
  enum point_origin origin;
  const char *const *types; /* patterns like the shell's; the name must match one; none: all types */
  size_t type_count;
  const struct point_relation *relations; /* all must hold */
  size_t relation_count;
};

/* The name of a type: a region's name, or OTF2's name of a kind of event (ThreadTaskCreate). */
const char *point_type_name(const struct trace *trace, uint32_t type);
/* True if the program made it. */
bool point_type_is_of_user(const struct trace *trace, uint32_t type);

/* Points have the attributes of the trace, then some attributes by the kind of event (lock, task, ...). */
uint32_t point_attribute_count(const struct trace *trace);
const char *point_attribute_name(const struct trace *trace, uint32_t attribute);

/* The points among one location's events. */

/* By region: whether its Enter is a point that is wanted; behind the regions, by kind of event. Free with free(). NULL:
 * no memory. */
bool *points_wanted(const struct trace *trace, const struct point_selection *selection);

struct point_reader {
  const struct trace *trace;
  const struct point_selection *selection;
  const bool *wanted;
  uint32_t location;
  VECTOR(struct trace_value) values; /* of the last point */
};

/* *found: the event is a point that is selected; it is valid until the next call. False: no memory. */
bool point_reader_take(struct point_reader *reader, const struct trace_event *event, struct point *point, bool *found);
/* The type of points that were not recorded, as the event says, and how many; TRACE_NONE: it says nothing, or its type
 * is not selected. What attributes they had is unknown: with relations none is selected. */
uint32_t point_reader_missing(const struct point_reader *reader, const struct trace_event *event, uint64_t *count);
void point_reader_free(struct point_reader *reader);

/* Points of all locations in order of time, in one pass (pass/pass.h). Memory depends on locations. */

/* The next point; points of the same time are in the order of their locations. False: no more; `error` may be filled
 * in. */
typedef bool points_taker(void *context, const struct point *point);

/* False: an error, or the taker said so. */
bool points_in_order(const struct trace *trace, struct pool *pool, const struct point_selection *selection,
                     points_taker *take, void *context, struct error *error);

#endif
