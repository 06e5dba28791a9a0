/* Private to markov/: the counts of any number of runs, by the state numbers of the model's table. A model is made of
 * them. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_POOLED_COUNTS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_POOLED_COUNTS_H

#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/run_counts.h"

/* All zeros is an empty one. */
struct markov_pooled_counts {
  VECTOR(struct markov_state) states; /* without edges */
  struct markov_transition_counts transitions;
  uint64_t runs, records, duration;
};

/* Makes room for at least `count` states. False: out of memory. */
bool markov_pooled_counts_resize(struct markov_pooled_counts *pooled, uint32_t count);

/* Adds a run. Its state s is the pooled state map[s], for which there is room. False: out of memory, or a sum that
 * needs more than 63 bits. */
bool markov_pooled_counts_add(struct markov_pooled_counts *pooled, const struct markov_run_counts *run,
                              const uint32_t *map, enum markov_terminal terminal, struct error *error);

/* Empties `pooled` into a model, which has neither program nor table of states yet. NULL: out of memory. */
struct markov_model *markov_pooled_counts_to_model(struct markov_pooled_counts *pooled,
                                                   const struct markov_options *options);

void markov_pooled_counts_free(struct markov_pooled_counts *pooled);

#endif
