/* The search of analyzer/findings/why in a trace, with the analyses that it rests on. */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_SEARCH_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_SEARCH_H

#include "analyzer/findings/all_analyses.h"
#include "analyzer/findings/why/why.h"

/* False: an error. run_analyses_free() and why_free() in any case. */
bool why_search(const struct trace *trace, struct pool *pool, double threshold, struct run_analyses *all,
                struct why *why, struct error *error);

#endif
