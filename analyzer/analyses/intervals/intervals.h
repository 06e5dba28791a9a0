/*
 * The intervals of a specification in a trace: begin here. An ordered subscriber of a pass finds them; their figures,
 * and what became of the assertions, follow at its end.
 *
 * A specification is read (spec.h), checked and planned (plan.h). source.h selects the events of the trace; a lane
 * takes the events of one location; match.h joins all locations in order of time.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_INTERVALS_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_INTERVALS_H

#include "analyzer/analyses/intervals/match.h"
#include "analyzer/analyses/intervals/plan.h"
#include "analyzer/trace/pass/pass.h"
#include "base/statistics.h"

/* From one thread to another, or the same. */
struct interval_threads {
  uint32_t from, to; /* locations */
  uint64_t count, max;
  wide_total total;
};

struct interval_result {
  const struct spec_interval *interval;
  struct lengths lengths;
  struct match_counts counts;
  struct interval_threads *threads; /* the largest total first */
  size_t thread_count;
};

/* An interval for which an assertion does not hold; without values. */
struct interval_violation {
  struct match_point start, end;
};

#define INTERVALS_SHOWN_MOST 1000 /* violations that are kept of an assertion; all are counted */

struct assertion_result {
  const struct spec_assertion *assertion;
  uint64_t held, violated; /* intervals, or one of them is 1 */
  struct interval_violation *violations;
  size_t kept;
};

struct intervals {
  struct interval_result *list; /* by interval of the specification */
  uint32_t count;
  struct assertion_result *assertions;
  uint32_t assertion_count;
  const struct spec_event **missing; /* events of intervals that the trace cannot have: nothing has their name */
  uint32_t missing_count;
};

struct intervals_options {
  const struct spec *spec;
  const struct match_plan *plan; /* of `spec` */
  uint64_t work;                 /* as in match.h */
  match_sink *sink;              /* gets each interval, when it is found; NULL: not wanted */
  void *context;
};

/*
 * Finds intervals in a pass in order of time. Options: struct intervals_options, which is needed; result: struct
 * intervals. Trace, specification and plan outlive the result.
 */
extern const struct analysis intervals_analysis;

/* The assertions that do not hold. */
uint32_t intervals_broken(const struct intervals *intervals);

#endif
