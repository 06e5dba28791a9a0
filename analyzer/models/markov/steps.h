/* Private to markov/: a run record by record, each with its duration and the transition out of it. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_STEPS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_STEPS_H

#include "analyzer/models/markov/model.h"

/* One record with what came after it. */
struct markov_step {
  uint64_t number, entry, ticks; /* number: from 0 */
  uint32_t state;
  size_t edge; /* the run's transition; SIZE_MAX: the run ends */
};

/* Reads the run, which is known as a model, once from its beginning. False: an error. */
bool markov_steps(struct pes_stream *stream, const struct markov_model *run,
                  void (*take)(void *context, const struct markov_step *step), void *context, struct error *error);

#endif
