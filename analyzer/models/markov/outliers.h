/* Which values of a sample stand out from the others. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_OUTLIERS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_OUTLIERS_H

#include <stdint.h>

enum {
  MARKOV_OUTLIERS_LEAST = 5, /* values: of fewer, none can be named */
  MARKOV_OUTLIERS_MOST = 20
};

/*
 * Rosner's generalized extreme Studentized deviate test: up to a fifth of the values may stand out, at most
 * MARKOV_OUTLIERS_MOST, and none of them hides another one. `level` is the probability to name any where all values
 * come from one normal distribution. Fills `which` with their indices, the most extreme one first, and returns their
 * number. Values must be finite.
 */
uint32_t markov_outliers(const double *values, uint32_t count, double level, uint32_t which[MARKOV_OUTLIERS_MOST]);

#endif
