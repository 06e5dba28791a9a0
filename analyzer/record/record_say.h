/* What `record` reports about a program before and after it runs. */
#ifndef HEDDLE_ANALYZER_RECORD_RECORD_SAY_H
#define HEDDLE_ANALYZER_RECORD_RECORD_SAY_H

#include "analyzer/record/record_plan.h"

/* Why the program cannot be recorded, as a sentence, to be freed. NULL: no reason was found. */
char *record_objection(const struct record_plan *plan);

/*
 * Why possibly nothing was recorded although there was no objection, as a sentence, to be freed. NULL: out of memory.
 */
char *record_doubt(const struct record_plan *plan);

/* Prints the plan on stdout: the findings as comments, then the command for a shell. Returns the exit status. */
int record_print(const struct record_plan *plan);

#endif
