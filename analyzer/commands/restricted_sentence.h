/* What has to be said where a trace is restricted (--from, --to, --only-threads, --only-processes). */
#ifndef HEDDLE_ANALYZER_COMMANDS_RESTRICTED_SENTENCE_H
#define HEDDLE_ANALYZER_COMMANDS_RESTRICTED_SENTENCE_H

#include "analyzer/commands/analysis.h"

/* What is looked at, the caller's to free; NULL: no memory. */
char *restricted_sentence(const struct trace *trace);

/* To programs how many executions of constructs are left out, to people what that means, if there are any. */
void restricted_put_executions(const struct analysis_run *run, uint64_t left_out);

/* The same of locks that were asked for and not had at the end of the time that is looked at. */
void restricted_put_requests(const struct analysis_run *run, uint64_t open);

#endif
