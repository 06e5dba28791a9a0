/* A sentence about processes in which recording was never started. */
#ifndef HEDDLE_ANALYZER_COMMAND_STARTED_SENTENCE_H
#define HEDDLE_ANALYZER_COMMAND_STARTED_SENTENCE_H

#include "analyzer/trace/definitions.h"

/* The sentence, to be freed. NULL: recording was started in all processes, or out of memory. */
char *started_sentence(const struct trace *trace);

#endif
