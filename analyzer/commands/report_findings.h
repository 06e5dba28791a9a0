/* What a report names as the first things to look at. */
#ifndef HEDDLE_ANALYZER_COMMANDS_REPORT_FINDINGS_H
#define HEDDLE_ANALYZER_COMMANDS_REPORT_FINDINGS_H

#include "analyzer/commands/report_facts.h"
#include "analyzer/report/bundle.h"

/*
 * Adds them, what costs most thread time first; the verdicts are those of the commands. The run's timeline is there
 * already. False: an error.
 */
bool report_findings_add(struct bundle_run *run, const struct report_facts *facts, struct error *error);

#endif
