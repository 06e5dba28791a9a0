/* Private to markov/: do consecutive blocks of a run depend on each other? They are joined until they don't look so. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_INDEPENDENT_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_INDEPENDENT_H

#include <stdbool.h>
#include <stdint.h>

enum { MARKOV_JOINED_MARGIN = 4 }; /* blocks that look independent are joined so many at a time, for safety */

/*
 * Do neighbours differ about as much as distant blocks do? `values` are by feature, then block; `scratch` has room for
 * `count`. Medians, so that a few changes do not matter.
 */
bool markov_look_independent(const double *values, uint32_t features, uint32_t count, double *scratch);

#endif
