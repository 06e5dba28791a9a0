/* The warning about the cost of recording, for `heddle info` and `heddle record`. */
#ifndef HEDDLE_ANALYZER_FINDINGS_OVERHEAD_SENTENCE_H
#define HEDDLE_ANALYZER_FINDINGS_OVERHEAD_SENTENCE_H

#include "analyzer/analyses/overhead/overhead.h"

/* True if the cost is likely above the budget of the process, or above OVERHEAD_TOO_MUCH if it has none. */
static inline bool overhead_is_too_much(const struct overhead *overhead)
{
  if (overhead->bearable > 0)
    return overhead->recording > overhead->bearable;
  return overhead_percent(overhead) > OVERHEAD_TOO_MUCH;
}

/* How much it cost, for which construct, and what to do. The caller frees the sentence. NULL: out of memory. */
char *overhead_sentence(const struct trace *trace, const struct overhead *overhead);

#endif
