/* How many events of each kind an archive has, and how often each region was entered (by weight). */
#ifndef HEDDLE_ANALYZER_ANALYSES_STATES_CENSUS_H
#define HEDDLE_ANALYZER_ANALYSES_STATES_CENSUS_H

#include "analyzer/trace/pass/pass.h"

struct census {
  uint64_t kinds[TRACE_KINDS];
  uint64_t *enters;     /* one a region; by weight */
  uint64_t first, last; /* times of the first and the last event; first > last: there are none */
  uint32_t threads;     /* with events */
  uint64_t events;      /* all */
  uint32_t regions;     /* of the trace */
};

/*
 * Counts in a pass of either kind (pass.h). NULL: no memory. After the pass: census_end(), or census_drop() if the pass
 * failed. Free the census with census_free().
 */
struct census_taker;
struct census_taker *census_begin(const struct trace *trace, struct pool *pool, struct error *error);
const struct subscriber *census_subscriber(const struct census_taker *taker);
void census_end(struct census_taker *taker, struct census *census);
void census_drop(struct census_taker *taker);

/* The census, by a pass of its own. False: an error. Free with census_free(), also then. */
bool census_take(const struct trace *trace, struct pool *pool, struct census *census, struct error *error);
void census_free(struct census *census);

/* Adds the census of other locations of the same trace. */
void census_merge(struct census *into, const struct census *from);

#endif
