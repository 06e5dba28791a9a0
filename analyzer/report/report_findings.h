/* The findings of a report: what to look at first. */
#ifndef HEDDLE_ANALYZER_REPORT_REPORT_FINDINGS_H
#define HEDDLE_ANALYZER_REPORT_REPORT_FINDINGS_H

#include "analyzer/report/bundle.h"
#include "analyzer/report/report_facts.h"

/*
 * Adds the findings to the run, the highest cost in thread time first, with the same verdicts as the commands. The
 * run must already have its timeline. False: an error.
 */
bool report_findings_add(struct bundle_run *run, const struct report_facts *facts, struct error *error);

#endif
