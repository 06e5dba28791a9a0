/* The findings as imbalance, locks and schedule print them: the same sentences in all of them. */
#ifndef HEDDLE_ANALYZER_COMMANDS_FINDINGS_SHOW_H
#define HEDDLE_ANALYZER_COMMANDS_FINDINGS_SHOW_H

#include "analyzer/commands/analysis.h"
#include "analyzer/findings/findings.h"

/* A table for programs (JSON; CSV has the tables of the commands alone), and the first sentences for people. */
void findings_show(const struct analysis_run *run, const struct findings *findings);

#endif
