/* What a report says was lost, derived or left out. */
#ifndef HEDDLE_ANALYZER_COMMANDS_REPORT_NOTES_H
#define HEDDLE_ANALYZER_COMMANDS_REPORT_NOTES_H

#include "analyzer/commands/report_facts.h"
#include "analyzer/report/bundle.h"

/* Adds notes; the run's timeline is there already. False: an error. */
bool report_notes_add(struct bundle_run *run, const struct report_facts *facts, struct error *error);

#endif
