/* The share of the threads' time that is not recorded, for commands that show sequences and models of them. */
#ifndef HEDDLE_ANALYZER_MODELS_UNMEASURED_FACT_H
#define HEDDLE_ANALYZER_MODELS_UNMEASURED_FACT_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/markov/markov.h"
#include "analyzer/models/sequences/pes.h"

/* Prints a fact if the share is more than nothing. */
void unmeasured_put_fact(struct print *print, double percent);

/* Of a sequence, and of those that a model was made of. */
double unmeasured_of_totals(const struct pes_stream *stream, const struct pes_state_totals *totals);
double unmeasured_of_model(const struct markov_model *model);

#endif
