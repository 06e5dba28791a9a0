/* How long each thread was in each state, and how long each construct's threads were: exact sums in ticks. */
#ifndef HEDDLE_ANALYZER_STATES_SUMS_H
#define HEDDLE_ANALYZER_STATES_SUMS_H

#include "analyzer/states/state.h"
#include "analyzer/trace/pool.h"

struct states_thread {
  uint64_t ticks[STATES]; /* add up to last - first */
  uint64_t first, last;   /* time of the first and of the last event; both 0 when there are none */
  uint64_t events;
  uint64_t unmatched; /* ends without a beginning, or the other way round, passed over */
};

struct states_construct {
  uint64_t calls;         /* on any thread; parts (chunks, waiting parts, ...) are no calls */
  uint64_t ticks[STATES]; /* exclusive: without what is nested, but with its own parts */
};

struct states_sums {
  struct states_thread *threads;       /* one a location of the trace */
  struct states_construct *constructs; /* one a region; the last, at [region_count], is time outside any region */
};

/* Reads all events of the trace. False: an error. Free the sums with states_sums_free(), also after an error. */
bool states_sum(const struct trace *trace, struct pool *pool, struct states_sums *sums, struct trace_error *error);
void states_sums_free(struct states_sums *sums);

#endif
