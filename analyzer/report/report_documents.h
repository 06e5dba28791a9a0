/* Documents of a report: the output of the commands with --json, and the models of the whole program. */
#ifndef HEDDLE_ANALYZER_REPORT_REPORT_DOCUMENTS_H
#define HEDDLE_ANALYZER_REPORT_REPORT_DOCUMENTS_H

#include "analyzer/command/print/print.h"
#include "analyzer/report/bundle.h"
#include "analyzer/report/report_facts.h"

#include <stddef.h>

/* Prints the document's content. False: out of memory. */
typedef bool report_put(struct print *print, const void *context);

/* Returns the JSON text that put() prints; the caller frees it. `size` may be NULL. NULL: out of memory. */
char *report_json(uint64_t ticks_per_second, report_put *put, const void *context, size_t *size);

/* Adds the documents, and notes on omitted details, to the run. False: an error. */
bool report_documents_add(struct bundle_run *run, const struct report_facts *facts, struct error *error);

/*
 * Adds model, occupancies and spectrum of the sequence that `heddle pes --vector counts` makes, or of `--vector roles`
 * if the former has more than REPORT_STATES_MOST states. If both have more, the documents are null, and a note says so.
 * False: an error.
 */
bool report_models_add(struct bundle_run *run, const struct report_facts *facts, struct error *error);

#endif
