/* Findings and notes of a report: what to look at first, and what is not in it. */
#ifndef HEDDLE_ANALYZER_REPORT_REPORT_FINDINGS_H
#define HEDDLE_ANALYZER_REPORT_REPORT_FINDINGS_H

#include "analyzer/report/bundle.h"
#include "analyzer/report/report_facts.h"

/*
 * Adds the findings to the run, the highest cost in thread time first, with the same verdicts as the commands. The
 * run must already have its timeline. False: an error.
 */
bool report_findings_add(struct bundle_run *run, const struct report_facts *facts, struct error *error);

/* Adds notes about lost, derived and omitted data to the run, which must already have its timeline. False: an error. */
bool report_notes_add(struct bundle_run *run, const struct report_facts *facts, struct error *error);

#endif
