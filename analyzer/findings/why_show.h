/*
 * Output of a tree of hypotheses, and the search in a trace. For people what is true, ruled out, unknown, and what to
 * do; for programs all nodes.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_SHOW_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_SHOW_H

#include "analyzer/command/analysis.h"
#include "analyzer/findings/all_analyses.h"
#include "analyzer/findings/why/why.h"

/* The search of analyzer/findings/why in a trace, with the analyses that it rests on. */

/* own_figures: without account, for stretches of a run. False: an error. run_analyses_free() and why_free() in any
 * case.
 */
bool why_search(const struct trace *trace, struct pool *pool, double threshold, bool own_figures,
                struct run_analyses *all, struct why *why, struct error *error);

/* first: the sentence that all begins with. `all`: what it rests on; NULL: no account. False: out of memory. */
bool why_put(const struct analysis_run *run, const struct why *why, const char *first, const struct run_analyses *all);

#endif
