/* What `record` has to say about a program: each a line on standard error. */
#ifndef HEDDLE_ANALYZER_COMMANDS_RECORD_SAY_H
#define HEDDLE_ANALYZER_COMMANDS_RECORD_SAY_H

#include "analyzer/commands/record_plan.h"

/* What stands against recording the program, as a sentence, to be freed; NULL: nothing that could be found. */
char *record_objection(const struct record_plan *plan);

/* Why nothing may have been recorded where there was no objection, as a sentence, to be freed; NULL: no memory. */
char *record_doubt(const struct record_plan *plan);

/* Prints the plan to standard output: what was found as comments, then what a shell would run. Returns the exit status.
 */
int record_print(const struct record_plan *plan);

#endif
