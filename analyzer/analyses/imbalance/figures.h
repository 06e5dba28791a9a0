/* Private to imbalance/: the sums of a construct that are estimated where instances are not recorded. */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_FIGURES_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_FIGURES_H

#include "analyzer/analyses/imbalance/constructs.h"

/* Whole ticks, or numbers. */
struct figures {
  uint64_t values[IMBALANCE_FIGURES];
};

/* What was added to a construct's sums since they were `before`. */
struct figures figures_since(const struct imbalance_construct *now, const struct imbalance_construct *before);

/* Adds what is not recorded to the sums. */
void figures_raise(struct imbalance_construct *construct);

#endif
