/* How much was not measured, for all commands that show parts of the threads' time. */
#ifndef HEDDLE_ANALYZER_COMMANDS_UNMEASURED_SENTENCE_H
#define HEDDLE_ANALYZER_COMMANDS_UNMEASURED_SENTENCE_H

#include "analyzer/trace/definitions.h"
#include "base/totals.h"

/* Of `all` ticks, the lifetimes of all threads, so many are UNMEASURED (above 0). The caller frees it; NULL: no memory.
 */
char *unmeasured_sentence(const struct trace *trace, wide_total unmeasured, wide_total all);

#endif
