/* The findings, as imbalance, locks and schedule print them: all three print the same sentences. */
#ifndef HEDDLE_ANALYZER_FINDINGS_FINDINGS_SHOW_H
#define HEDDLE_ANALYZER_FINDINGS_FINDINGS_SHOW_H

#include "analyzer/command/analysis.h"
#include "analyzer/findings/findings.h"

/* Prints a table in JSON, and the first sentences as text. CSV has only the table of the command. */
void findings_show(const struct analysis_run *run, const struct findings *findings);

#endif
