/*
 * Components in a model: `heddle model --components`, a model of each component and the dependences between them;
 * `heddle model --rules`, the component that decides the next state.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MODEL_COMPONENTS_H
#define HEDDLE_ANALYZER_MODELS_MODEL_COMPONENTS_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/markov/markov.h"
#include "base/error.h"

/* Reads the sequence and prints the models of its components. False: an error. */
bool model_components(const char *path, const struct markov_options *rules, enum print_format format,
                      struct error *error);

/*
 * Prints the rules of a sequence or trace. `foreseen`: name of the predicted component; NULL: the next state is
 * predicted. False: an error.
 */
bool model_rules(const char *path, const char *foreseen, enum print_format format, struct error *error);

#endif
