/* Compares a run with a model. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_VALIDATE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_VALIDATE_H

#include "analyzer/models/markov/validation.h"

/* The model's program and table of states get what the run has and they lack. NULL: an error. */
struct markov_validation *markov_validate(struct markov_model *model, struct pes_stream *run,
                                          const struct markov_validate_options *options, struct error *error);
/* The same for a run whose states carry their history already, if the model's do. */
struct markov_validation *markov_validate_carried(struct markov_model *model, struct pes_stream *run,
                                                  const struct markov_validate_options *options, struct error *error);
void markov_validation_free(struct markov_validation *validation);

#endif
