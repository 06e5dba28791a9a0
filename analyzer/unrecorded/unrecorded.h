/* Constructs that were left out because recording has a budget (`heddle record --budget`). */
#ifndef HEDDLE_ANALYZER_UNRECORDED_UNRECORDED_H
#define HEDDLE_ANALYZER_UNRECORDED_UNRECORDED_H

#include "analyzer/pass/pass.h"
#include "base/totals.h"

/* Of one construct. */
struct unrecorded_construct {
  uint64_t instances; /* of teams: each counts once, for all its threads */
  uint64_t joined;    /* how often other threads than the first took part */
  wide_total time;    /* ticks of all threads in them; threads that joined a region: up to its last barrier */
  uint64_t chunks;    /* and sections */
};

struct unrecorded {
  struct unrecorded_construct *constructs; /* one a region; NULL: nothing was skipped */
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

/* Adds the skipped instances of other locations of the same trace. */
void unrecorded_merge(struct unrecorded *into, const struct unrecorded *from);

#endif
