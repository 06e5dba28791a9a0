/* A sentence about time that was not measured, for all commands that show parts of the threads' time. */
#ifndef HEDDLE_ANALYZER_COMMAND_UNMEASURED_SENTENCE_H
#define HEDDLE_ANALYZER_COMMAND_UNMEASURED_SENTENCE_H

#include "analyzer/command/print/print.h"
#include "analyzer/trace/definitions.h"
#include "base/statistics.h"

/*
 * `unmeasured` (above 0) of the `all` ticks of the threads' lifetimes are UNMEASURED. The caller frees the sentence.
 * NULL: out of memory.
 */
char *unmeasured_sentence(const struct trace *trace, wide_total unmeasured, wide_total all);

/* Prints it, unless all is measured. False: out of memory. */
bool unmeasured_put(struct print *print, const struct trace *trace, wide_total unmeasured, wide_total all);

#endif
