/* The verdict of `heddle imbalance`, in words. */
#ifndef HEDDLE_ANALYZER_COMMANDS_IMBALANCE_SENTENCE_H
#define HEDDLE_ANALYZER_COMMANDS_IMBALANCE_SENTENCE_H

#include "analyzer/imbalance/imbalance.h"

/* One sentence: which construct to look at first, and why. The caller frees it. NULL: no memory. */
char *imbalance_sentence(const struct trace *trace, const struct imbalance *imbalance);

#endif
