/* The documents of a report: the output of the commands with --json. */
#ifndef HEDDLE_ANALYZER_COMMANDS_REPORT_DOCUMENTS_H
#define HEDDLE_ANALYZER_COMMANDS_REPORT_DOCUMENTS_H

#include "analyzer/commands/report_facts.h"
#include "analyzer/report/bundle.h"

/* Adds the documents, and notes on omitted details, to the run. False: an error. */
bool report_documents_add(struct bundle_run *run, const struct report_facts *facts, struct error *error);

#endif
