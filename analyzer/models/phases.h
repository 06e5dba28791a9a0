/* Which constructs change from one phase of a trace to the next. */
#ifndef HEDDLE_ANALYZER_MODELS_PHASES_H
#define HEDDLE_ANALYZER_MODELS_PHASES_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/markov/markov.h"

/* Reads the phases of the trace one by one, each in a pass of its own, and prints their constructs. False: an error. */
bool phases_put_constructs(struct print *print, const char *path, const struct markov_phases *phases,
                           struct error *error);

#endif
