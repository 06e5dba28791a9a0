/*
 * How long each thread was in each state, and how long each construct's threads were: exact sums in ticks. Locations
 * that are no threads have no events here.
 */
#ifndef HEDDLE_ANALYZER_SURVEY_SUMS_H
#define HEDDLE_ANALYZER_SURVEY_SUMS_H

#include "analyzer/pass/pass.h"

/* Of what is looked at (trace/restriction.h). */
struct states_thread {
  bool alive;               /* for some of that time, or at some moment of it */
  wide_total ticks[STATES]; /* add up to last - first */
  uint64_t first, last;     /* when it lived; both 0: not at all */
  uint64_t events;
  uint64_t unmatched; /* ends without a beginning, or the other way round, passed over */
};

struct states_construct {
  uint64_t calls;           /* on any thread, by weight; parts (chunks, waiting parts, ...) are no calls */
  wide_total ticks[STATES]; /* exclusive: without what is nested, but with its own parts; as recorded */
};

struct states_sums {
  struct states_thread *threads;       /* one a location of the trace */
  struct states_construct *constructs; /* one a region; the last, at [regions], is time outside any region */
  uint32_t locations, regions;         /* of the trace */
};

/*
 * Adds up in a pass of either kind (pass.h). NULL: no memory. After the pass: states_sums_end(), or states_sums_drop()
 * where it failed. Free the sums with states_sums_free().
 */
struct states_adder;
struct states_adder *states_sums_begin(const struct trace *trace, struct pool *pool, struct error *error);
const struct subscriber *states_sums_subscriber(const struct states_adder *adder);
void states_sums_end(struct states_adder *adder, struct states_sums *sums);
void states_sums_drop(struct states_adder *adder);

/* All of it, in a pass of its own. False: an error. Free with states_sums_free(), also after an error. */
bool states_sum(const struct trace *trace, struct pool *pool, struct states_sums *sums, struct error *error);
void states_sums_free(struct states_sums *sums);

/* Makes the time from *first to *last longer, where a thread lived before or after it. */
void states_sums_lived(const struct states_sums *sums, uint64_t *first, uint64_t *last);

/* Adds the sums of other locations of the same trace: each location's events are in one of both. */
void states_sums_merge(struct states_sums *into, const struct states_sums *from);

#endif
