/* What was not recorded because there were too many instances of a construct a second (`heddle record --max-rate`). */
#ifndef HEDDLE_ANALYZER_SKIPPED_SKIPPED_H
#define HEDDLE_ANALYZER_SKIPPED_SKIPPED_H

#include "analyzer/pass/pass.h"
#include "base/totals.h"

/* Of one construct. */
struct skipped_construct {
  uint64_t instances; /* of teams: each counts once, however many threads took part */
  uint64_t joined;    /* how often further threads took part */
  wide_total time;    /* ticks of all threads in them; of threads that joined a region, up to its last barrier */
  uint64_t chunks;    /* and sections */
};

struct skipped {
  struct skipped_construct *constructs; /* one a region; NULL: nothing was skipped */
  uint32_t regions;                     /* of the trace */
};

/* In a pass of either kind (pass.h). NULL: no memory. After it: skipped_end(), or skipped_drop() where it failed.
 * Free with skipped_free(). */
struct skipped_taker;
struct skipped_taker *skipped_begin(const struct trace *trace, struct pool *pool, struct trace_error *error);
const struct subscriber *skipped_subscriber(const struct skipped_taker *taker);
void skipped_end(struct skipped_taker *taker, struct skipped *skipped);
void skipped_drop(struct skipped_taker *taker);

void skipped_free(struct skipped *skipped);

/* Adds what other locations of the same trace have: each location's events are in one of both. */
void skipped_merge(struct skipped *into, const struct skipped *from);

#endif
