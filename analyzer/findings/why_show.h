/* Prints a tree of hypotheses: for people what is true, ruled out, unknown, and what to do; for programs all nodes. */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_SHOW_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_SHOW_H

#include "analyzer/command/analysis.h"
#include "analyzer/findings/why/why.h"

/* first: the sentence that all begins with. */
void why_put(const struct analysis_run *run, const struct why *why, const char *first);

#endif
