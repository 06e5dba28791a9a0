/*
 * Finds the intervals of one plan in a stream of events. Events come in order of time; events of the same time come in
 * the order of their threads. Memory grows with starts that can still get an interval (plan_explain() says which). One
 * thread at a time.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_MATCH_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_MATCH_H

#include "analyzer/analyses/intervals/evaluate.h"
#include "analyzer/analyses/intervals/plan.h"

struct match_point {
  uint64_t time;                   /* ticks */
  uint64_t number;                 /* number of the event in the stream, from 1; it grows */
  uint32_t thread;                 /* location */
  const struct spec_value *values; /* by slot; good during the call that has it */
};

/* An interval. False: stop, and the sink has said why. */
typedef bool match_sink(void *context, const struct spec_interval *interval, const struct match_point *start,
                        const struct match_point *end);

struct match_options {
  uint32_t slots;            /* values of an event */
  uint64_t ticks_per_second; /* 0: unknown, and a tick counts as a nanosecond */
  uint64_t work;             /* the most pairs of events that are tried and do not fit */
  match_sink *sink;
  void *context;
};

struct match_counts {
  uint64_t intervals;
  uint64_t unmatched_starts; /* without an interval */
  uint64_t unmatched_ends;   /* forward: ends that no open start could take; backward: ends without an interval */
  uint64_t work;
  uint64_t open_most; /* starts that were in memory at a time */
};

struct match;

/* NULL: out of memory. The plan outlives it. */
struct match *match_create(const struct plan_interval *plan, const struct match_options *options);
void match_free(struct match *match);

/*
 * An event that can be an end, an event between (number `at` in the interval), or a start. An event with several roles
 * is passed in this order, with the same number. Values are copied. False: an error, also one of the sink, which may
 * have filled `error`.
 */
bool match_end(struct match *match, const struct match_point *event, const struct spec_value *values,
               struct error *error);
bool match_between(struct match *match, uint32_t at, const struct match_point *event, const struct spec_value *values,
                   struct error *error);
bool match_start(struct match *match, const struct match_point *event, const struct spec_value *values,
                 struct error *error);

/* No more events come. */
bool match_finish(struct match *match, struct error *error);

const struct match_counts *match_counts(const struct match *match);

/* `within` in ticks; UINT64_MAX: unlimited. */
uint64_t match_limit(const struct spec_interval *interval, uint64_t ticks_per_second);

#endif
