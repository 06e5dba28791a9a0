/* The documents of a report: the output of the commands with --json. */
#ifndef HEDDLE_ANALYZER_REPORT_REPORT_DOCUMENTS_H
#define HEDDLE_ANALYZER_REPORT_REPORT_DOCUMENTS_H

#include "analyzer/report/bundle.h"
#include "analyzer/report/report_facts.h"

/* Adds the documents, and notes on omitted details, to the run. False: an error. */
bool report_documents_add(struct bundle_run *run, const struct report_facts *facts, struct error *error);

#endif
