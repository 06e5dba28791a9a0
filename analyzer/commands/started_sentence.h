/* Where recording was switched off from the beginning to the end. */
#ifndef HEDDLE_ANALYZER_COMMANDS_STARTED_SENTENCE_H
#define HEDDLE_ANALYZER_COMMANDS_STARTED_SENTENCE_H

#include "analyzer/trace/definitions.h"

/* The sentence, to be freed; NULL: recording was started in all processes, or there is no memory. */
char *started_sentence(const struct trace *trace);

#endif
