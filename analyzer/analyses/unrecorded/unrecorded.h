/*
 * Instances that are not recorded: constructs that were left out (`heddle record --budget`),
 * and those of thinned places, of which a recorded one stands for several by its weight.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_UNRECORDED_UNRECORDED_H
#define HEDDLE_ANALYZER_ANALYSES_UNRECORDED_UNRECORDED_H

#include "analyzer/trace/pass/pass.h"
#include "base/statistics.h"

/* Of one construct. */
struct unrecorded_construct {
  uint64_t instances; /* of teams: each counts once, for all its threads */
  uint64_t joined;    /* how often other threads than the first took part */
  wide_total time;    /* ticks of all threads in them; threads that joined a region: up to its last barrier */
  uint64_t chunks;    /* and sections */
  /* Of archives with weights, on all threads: */
  uint64_t executions; /* by weight, with those after the last recorded one of a thread; without skipped ones */
  uint64_t recorded;
};

struct unrecorded {
  struct unrecorded_construct *constructs; /* one a region; NULL: nothing was skipped, and no weights */
  uint32_t regions;                        /* of the trace */
};

/* Adds up in a pass of either kind (pass.h). NULL: no memory. After the pass: unrecorded_end(), or unrecorded_drop() if
 * the pass failed. Free the result with unrecorded_free(). */
struct unrecorded_taker;
struct unrecorded_taker *unrecorded_begin(const struct trace *trace, struct pool *pool, struct error *error);
const struct subscriber *unrecorded_subscriber(const struct unrecorded_taker *taker);
void unrecorded_end(struct unrecorded_taker *taker, struct unrecorded *skipped);
void unrecorded_drop(struct unrecorded_taker *taker);

void unrecorded_free(struct unrecorded *skipped);

/* Whether some of a construct's executions were left out because there were too many. */
static inline bool unrecorded_is_thinned(const struct unrecorded_construct *construct)
{
  return construct->executions > construct->recorded;
}

/* Adds the skipped instances of other locations of the same trace. */
void unrecorded_merge(struct unrecorded *into, const struct unrecorded *from);

#endif
