/* Messages of `heddle record` about a program, before and after it runs. */
#ifndef HEDDLE_ANALYZER_RECORD_RECORD_MESSAGES_H
#define HEDDLE_ANALYZER_RECORD_RECORD_MESSAGES_H

#include "analyzer/record/record_plan.h"

/* Returns the reason why the program cannot be recorded, a sentence to be freed. NULL: no reason was found. */
char *record_objection(const struct record_plan *plan);

/* Returns a possible reason why nothing was recorded although there was no objection, a sentence to be freed. NULL: out
 * of memory. */
char *record_doubt(const struct record_plan *plan);

/* Prints the plan on stdout: the findings as comments, then the command for a shell. Returns the exit status. */
int record_print(const struct record_plan *plan);

/* After the conversion: warns on stderr of processes where recording never started, and of threads that it slowed down
 * too much. */
void record_warn(const char *command, const char *path);

#endif
