/* How many events of which kind an archive has, and how often each region was entered, also unrecorded. */
#ifndef HEDDLE_ANALYZER_SURVEY_CENSUS_H
#define HEDDLE_ANALYZER_SURVEY_CENSUS_H

#include "analyzer/pass/pass.h"

struct census {
  uint64_t kinds[TRACE_KINDS];
  uint64_t *enters;     /* a region; by their weights */
  uint64_t estimates;   /* of these, as far as the weights are estimates */
  uint64_t first, last; /* times of the first and of the last event; first > last when there are none */
  uint32_t threads;     /* that have events */
  uint64_t events;      /* all */
  uint32_t regions;     /* of the trace */
};

/*
 * Counts in a pass of either kind (pass.h). NULL: no memory. After the pass: census_end(), or census_drop() where it
 * failed. Free the census with census_free().
 */
struct census_taker;
struct census_taker *census_begin(const struct trace *trace, struct pool *pool, struct error *error);
const struct subscriber *census_subscriber(const struct census_taker *taker);
void census_end(struct census_taker *taker, struct census *census);
void census_drop(struct census_taker *taker);

/* All of it, in a pass of its own. False: an error. Free with census_free(), also after an error. */
bool census_take(const struct trace *trace, struct pool *pool, struct census *census, struct error *error);
void census_free(struct census *census);

/* Adds the census of other locations of the same trace: each location's events are in one of both. */
void census_merge(struct census *into, const struct census *from);

#endif
