/* Sentences about a restricted trace (--from, --to, --only-threads, --only-processes). */
#ifndef HEDDLE_ANALYZER_COMMAND_RESTRICTED_SENTENCE_H
#define HEDDLE_ANALYZER_COMMAND_RESTRICTED_SENTENCE_H

#include "analyzer/command/analysis.h"

/* Which part of the run is analyzed; the caller frees the sentence. NULL: out of memory. */
char *restricted_sentence(const struct trace *trace);

/*
 * Prints how many executions of constructs are incomplete in the part and not counted: a number in JSON, elsewhere a
 * sentence if the number is not 0.
 */
void restricted_put_executions(const struct analysis_run *run, uint64_t left_out);

/* The same for requests of locks that are not granted by the end of the part. */
void restricted_put_requests(const struct analysis_run *run, uint64_t open);

#endif
