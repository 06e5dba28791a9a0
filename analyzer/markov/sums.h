/* Private to markov/: counts of any number of runs, by the numbers of the model's table, until they become a model. */
#ifndef HEDDLE_ANALYZER_MARKOV_SUMS_H
#define HEDDLE_ANALYZER_MARKOV_SUMS_H

#include "analyzer/markov/model.h"
#include "analyzer/markov/tally.h"

struct markov_sums {
  struct markov_state *list; /* without edges */
  uint32_t count;
  struct markov_counts transitions;
  uint64_t runs, records, duration;
};

/* Makes room for states. False: no memory. All zeros is a valid beginning. */
bool markov_sums_resize(struct markov_sums *sums, uint32_t count);

/* Adds a run, whose state s is map[s] < sums->count. False: no memory, or too much for 63 bits. */
bool markov_sums_add(struct markov_sums *sums, const struct markov_tally *tally, const uint32_t *map,
                     enum markov_terminal terminal, struct error *error);

/* Empties `sums` into a model, which has no program and no table of states yet. NULL: no memory. */
struct markov_model *markov_sums_model(struct markov_sums *sums, const struct markov_options *options);

void markov_sums_free(struct markov_sums *sums);

#endif
