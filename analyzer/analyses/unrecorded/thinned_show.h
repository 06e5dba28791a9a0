/* What recording left out because it was too much: for all commands that show figures of thinned places. */
#ifndef HEDDLE_ANALYZER_ANALYSES_UNRECORDED_THINNED_SHOW_H
#define HEDDLE_ANALYZER_ANALYSES_UNRECORDED_THINNED_SHOW_H

#include "analyzer/analyses/overhead/overhead.h"
#include "analyzer/analyses/unrecorded/unrecorded.h"
#include "analyzer/command/analysis.h"

/* A sentence a thinned place, the one with the most executions first; JSON and CSV: a table. False: out of memory. */
bool thinned_put_places(const struct analysis_run *run, const struct unrecorded *unrecorded);

/* What recording took, and a warning if it was more than the budget. False: out of memory. */
bool thinned_put_budget(const struct analysis_run *run, const struct budget *budget);

/*
 * One sentence if places are thinned: which share of all executions is not recorded there, and what this means for
 * `what`, such as "Waits and the threads that caused them". `loops`: only loops matter. False: out of memory.
 */
bool thinned_put_share(const struct analysis_run *run, const struct unrecorded *unrecorded, bool loops,
                       const char *what);

/* The same as a text, which the caller frees; NULL: nothing is thinned. */
bool thinned_sentence(const struct trace *trace, const struct unrecorded *unrecorded, bool loops, const char *what,
                      char **text);

#endif
