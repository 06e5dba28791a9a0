/* Sentences about what recording omitted to keep its budget: for all commands that show figures of places with omitted
 * executions. */
#ifndef HEDDLE_ANALYZER_ANALYSES_OMITTED_OMITTED_SHOW_H
#define HEDDLE_ANALYZER_ANALYSES_OMITTED_OMITTED_SHOW_H

#include "analyzer/analyses/omitted/omitted.h"
#include "analyzer/analyses/overhead/overhead.h"
#include "analyzer/command/analysis.h"

/* Prints a sentence for each place with omitted executions, the place with the most executions first; JSON and CSV: a
 * table. False: out of memory. */
bool omitted_put_places(const struct analysis_run *run, const struct omitted *omitted);

/* What recording took, and a warning if it was more than the budget. False: out of memory. */
bool omitted_put_budget(const struct analysis_run *run, const struct budget *budget);

/*
 * One sentence if places have omitted executions: the share of all executions that is not recorded there, and the
 * effect on `what`, such as "Waits and the threads that caused them". `loops`: only loops matter. False: out of memory.
 */
bool omitted_put_share(const struct analysis_run *run, const struct omitted *omitted, bool loops, const char *what);

/* The same as a text, which the caller frees; NULL: nothing is omitted. */
bool omitted_sentence(const struct trace *trace, const struct omitted *omitted, bool loops, const char *what,
                      char **text);

#endif
