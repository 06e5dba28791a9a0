/* Sequences that a model would produce. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_SIMULATE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_SIMULATE_H

#include "analyzer/models/markov/model.h"

struct markov_simulation {
  uint64_t seed;
  uint64_t ticks;   /* no record begins then or later; the last one lasts as long as it was drawn */
  uint64_t records; /* at most so many */
};

/*
 * A sequence as a stream, which begins at time 0. It is drawn while it is read, and the same each time: memory does not
 * grow with its length. The model must outlive it, and have a run. The stream has its own copy of program and
 * states; its terminal state is the one that would come next. NULL: no memory.
 */
struct pes_stream *markov_simulate(const struct markov_model *model, const struct markov_simulation *simulation,
                                   struct error *error);

/* How many states the stream's table has: those that carry histories come behind the others, if there is one run. */
uint32_t markov_count_delivered(const struct markov_model *model);

#endif
