/* `heddle model --components`: a model of each component of a sequence, and how much they depend on each other. */
#ifndef HEDDLE_ANALYZER_MODELS_MODEL_COMPONENTS_H
#define HEDDLE_ANALYZER_MODELS_MODEL_COMPONENTS_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/markov/markov.h"

/* Reads the sequence and prints all. False: an error. */
bool model_components(const char *path, const struct markov_options *rules, enum print_format format,
                      struct error *error);

#endif
