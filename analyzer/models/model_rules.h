/* heddle model --rules: which component decides the next state? */
#ifndef HEDDLE_ANALYZER_MODELS_MODEL_RULES_H
#define HEDDLE_ANALYZER_MODELS_MODEL_RULES_H

#include "analyzer/command/print/print.h"
#include "base/error.h"

/* Prints the rules of a sequence or trace. `foreseen` is the name of a component, or NULL. False: an error. */
bool model_rules(const char *path, const char *foreseen, enum print_format format, struct error *error);

#endif
