/* What a validation says of the uses of a model, in sentences. */
#ifndef HEDDLE_ANALYZER_COMMANDS_VALIDATE_SHOW_H
#define HEDDLE_ANALYZER_COMMANDS_VALIDATE_SHOW_H

#include "analyzer/markov/markov.h"
#include "analyzer/print/print.h"

/* A use of a series gets a yes if all its phases do. */
void validate_show_verdict(struct print *print, const struct markov_series *series,
                           const struct markov_comparison *comparison);

#endif
