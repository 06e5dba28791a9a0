/* `heddle model --components`: a model of each component of a sequence, and how much they depend on each other. */
#ifndef HEDDLE_ANALYZER_MODELS_MODEL_COMPONENTS_H
#define HEDDLE_ANALYZER_MODELS_MODEL_COMPONENTS_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/markov/markov.h"
#include "base/error.h"

/* Reads the sequence and prints all. False: an error. */
bool model_components(const char *path, const struct markov_options *rules, enum print_format format,
                      struct error *error);

/* heddle model --rules: which component decides the next state? */

/* Prints the rules of a sequence or trace. `foreseen` is the name of a component, or NULL. False: an error. */
bool model_rules(const char *path, const char *foreseen, enum print_format format, struct error *error);

#endif
