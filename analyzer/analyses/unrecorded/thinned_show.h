/* Sentences about what recording omitted to keep its budget: for all commands that show figures of places with omitted
 * executions. */
#ifndef HEDDLE_ANALYZER_ANALYSES_UNRECORDED_THINNED_SHOW_H
#define HEDDLE_ANALYZER_ANALYSES_UNRECORDED_THINNED_SHOW_H

#include "analyzer/analyses/overhead/overhead.h"
#include "analyzer/analyses/unrecorded/unrecorded.h"
#include "analyzer/command/analysis.h"

/* Prints a sentence for each place with omitted executions, the place with the most executions first; JSON and CSV: a
 * table. False: out of memory. */
bool thinned_put_places(const struct analysis_run *run, const struct unrecorded *unrecorded);

/* What recording took, and a warning if it was more than the budget. False: out of memory. */
bool thinned_put_budget(const struct analysis_run *run, const struct budget *budget);

/*
 * One sentence if places have omitted executions: the share of all executions that is not recorded there, and the
 * effect on `what`, such as "Waits and the threads that caused them". `loops`: only loops matter. False: out of memory.
 */
bool thinned_put_share(const struct analysis_run *run, const struct unrecorded *unrecorded, bool loops,
                       const char *what);

/* The same as a text, which the caller frees; NULL: nothing is omitted. */
bool thinned_sentence(const struct trace *trace, const struct unrecorded *unrecorded, bool loops, const char *what,
                      char **text);

#endif
