/*
 * Single points for a page, each with its time and attributes: by thread and type, in order of time. Where they are
 * many, the first of each 2, 4, ... is kept, and stands for the others of its group. So memory is bounded, and the sums
 * of the weights are exact.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_EVENTS_KEPT_H
#define HEDDLE_ANALYZER_ANALYSES_EVENTS_KEPT_H

#include "analyzer/analyses/events/points.h"
#include "analyzer/trace/pass/pass.h"
#include "base/vector.h"

#define POINTS_KEPT_LEAST 64 /* of a list, however many lists there are */

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
