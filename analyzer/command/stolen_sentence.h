/* A sentence about processor time that a hypervisor took while the program ran. */
#ifndef HEDDLE_ANALYZER_COMMAND_STOLEN_SENTENCE_H
#define HEDDLE_ANALYZER_COMMAND_STOLEN_SENTENCE_H

#include "analyzer/command/print/print.h"
#include "analyzer/trace/definitions.h"

/* The sentence, to be freed. NULL: it took little, that is not known, or out of memory. */
char *stolen_sentence(const struct trace *trace);
/* Prints it, if there is one. */
void stolen_put(struct print *print, const struct trace *trace);

#endif
