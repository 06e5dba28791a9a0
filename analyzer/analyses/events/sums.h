/* Sums of points by type and thread, with their attributes. Memory grows with both, not with points. */
#ifndef HEDDLE_ANALYZER_ANALYSES_EVENTS_SUMS_H
#define HEDDLE_ANALYZER_ANALYSES_EVENTS_SUMS_H

#include "analyzer/analyses/events/events.h"
#include "analyzer/trace/pass/pass.h"
#include "base/error.h"
#include "base/pool.h"
#include "base/vector.h"

/* The values of an attribute in points of a type. Weighted, where points stand for several. */
struct points_values {
  uint32_t attribute;
  uint64_t texts;   /* points where the value is a text; they are in no other figure */
  uint64_t nans;    /* likewise no number */
  uint64_t numbers; /* points where the value is a number */
  struct trace_value least, most;
  long double sum;
};

/* The points of a type in one location, or in all. */
struct points_row {
  uint32_t type, location; /* location: TRACE_NONE in totals */
  uint32_t locations;      /* that have such points */
  uint64_t count;          /* including points that were not recorded */
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

/*
 * Single points for a page, each with its time and attributes: by thread and type, in order of time. Where they are
 * many, the first of each 2, 4, ... is kept, and stands for the others of its group. So memory is bounded, and the sums
 * of the weights are exact.
 */

#define POINTS_KEPT_LEAST 64 /* in a list, however many lists there are */

struct kept_point {
  uint64_t time;   /* ticks */
  uint64_t weight; /* of all points that it stands for */
  size_t first;    /* in values */
  uint32_t count;  /* values */
};

struct points_list {
  uint32_t location, type;
  uint64_t every;   /* a power of 2: each stands for so many recorded ones */
  uint64_t taken;   /* points */
  uint64_t missing; /* points that were not recorded, at unknown times */
  VECTOR(struct kept_point) points;
  VECTOR(struct trace_value) values;
};

struct points_kept {
  VECTOR(struct points_list) lists; /* by location, then type */
};

struct points_options {
  const struct point_selection *selection; /* outlives the analysis */
  size_t most;                             /* about so many points in all */
};

/* Keeps points in a pass of either kind. Options: struct points_options, which are needed; result: struct points_kept.
 */
extern const struct analysis points_analysis;

#endif
