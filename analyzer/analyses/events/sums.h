/* Points added up: by type and thread, with their attributes. Memory grows with both, not with points. */
#ifndef HEDDLE_ANALYZER_ANALYSES_EVENTS_SUMS_H
#define HEDDLE_ANALYZER_ANALYSES_EVENTS_SUMS_H

#include "analyzer/analyses/events/points.h"
#include "base/error.h"
#include "base/pool.h"
#include "base/vector.h"

/* The values of an attribute in points of a type. Weighted, where points stand for several. */
struct points_values {
  uint32_t attribute;
  uint64_t texts;   /* points of which it is a text; they are in no other figure */
  uint64_t nans;    /* likewise no number */
  uint64_t numbers; /* points of which it is a number */
  struct trace_value least, most;
  long double sum;
};

/* The points of a type in one location, or in all. */
struct points_row {
  uint32_t type, location; /* location: TRACE_NONE in totals */
  uint32_t locations;      /* that have such points */
  uint64_t count;          /* with those that were not recorded */
  uint64_t recorded;
  uint64_t first, last; /* times of recorded ones, ticks; first > last: none was recorded */
  VECTOR(struct points_values) values;
};

struct points_sums {
  VECTOR(struct points_row) rows;   /* by type, then location */
  VECTOR(struct points_row) totals; /* a type; the most frequent first */
  uint64_t first, last;             /* times of the first and the last event of all kinds; first > last: no events */
};

/* In a pass of its own. Points that were not recorded are counted, unless the selection has relations. False: an error.
 * Free with points_sums_free(), also then. */
bool points_add_up(const struct trace *trace, struct pool *pool, const struct point_selection *selection,
                   struct points_sums *sums, struct error *error);
void points_sums_free(struct points_sums *sums);

#endif
