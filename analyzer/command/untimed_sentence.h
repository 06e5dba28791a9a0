/* A sentence about waits that count as RUN, because the runtime does not report their begin. */
#ifndef HEDDLE_ANALYZER_COMMAND_UNTIMED_SENTENCE_H
#define HEDDLE_ANALYZER_COMMAND_UNTIMED_SENTENCE_H

#include "analyzer/command/analysis.h"

/* How many there are, and how long they took at most. The caller frees the sentence. NULL: there are none. */
char *untimed_sentence(const struct trace *trace);
/* Prints the sentence, if there is one. */
void untimed_put(const struct analysis_run *run);

#endif
