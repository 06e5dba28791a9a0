/* The warning about the cost of recording, for `heddle info` and `heddle record`. */
#ifndef HEDDLE_ANALYZER_FINDINGS_OVERHEAD_SENTENCE_H
#define HEDDLE_ANALYZER_FINDINGS_OVERHEAD_SENTENCE_H

#include "analyzer/overhead/overhead.h"

/* Whether the cost is likely above the budget that the program was recorded with, or without one above
 * OVERHEAD_TOO_MUCH. */
bool overhead_is_too_much(const struct trace *trace, const struct overhead *overhead);

/* How much it cost, for which construct, and what to do. The caller frees the sentence. NULL: out of memory. */
char *overhead_sentence(const struct trace *trace, const struct overhead *overhead);

#endif
