/* Waits that count as RUN, because the runtime tells nothing of their begin. */
#ifndef HEDDLE_ANALYZER_COMMANDS_UNTIMED_SENTENCE_H
#define HEDDLE_ANALYZER_COMMANDS_UNTIMED_SENTENCE_H

#include "analyzer/commands/analysis.h"

/* How many there are, and how long they can have taken at most. The caller frees it; NULL: there are none. */
char *untimed_sentence(const struct trace *trace);
/* Prints it, if there is one. */
void untimed_put(const struct analysis_run *run);

#endif
