/* What a validation says of the uses of a model, in sentences. */
#ifndef HEDDLE_ANALYZER_MODELS_VALIDATE_SHOW_H
#define HEDDLE_ANALYZER_MODELS_VALIDATE_SHOW_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/markov/markov.h"

/* A use of a series gets a yes if all its phases do. */
void validate_show_verdict(struct print *print, const struct markov_series *series,
                           const struct markov_comparison *comparison);

#endif
