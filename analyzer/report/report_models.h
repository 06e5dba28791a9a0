/* The documents of a report about the sequence of states of the whole program. */
#ifndef HEDDLE_ANALYZER_REPORT_REPORT_MODELS_H
#define HEDDLE_ANALYZER_REPORT_REPORT_MODELS_H

#include "analyzer/report/bundle.h"
#include "analyzer/report/report_facts.h"

/*
 * Adds model, occupancies and spectrum of the sequence that `heddle pes --vector counts` makes, or of `--vector roles`
 * if the former has more than REPORT_STATES_MOST states. If both have more, the documents are null, and a note says so.
 * False: an error.
 */
bool report_models_add(struct bundle_run *run, const struct report_facts *facts, struct error *error);

#endif
