/* Private to markov/: the communicating classes of a chain. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_CLASSES_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_CLASSES_H

#include "analyzer/models/markov/solve.h"

/* The class of each state (UINT32_MAX for states with used[state] false), numbered so that no class leads to one with a
 * higher number. Returns how many there are; UINT32_MAX: no memory. */
uint32_t markov_classes(const struct markov_matrix *p, const bool *used, uint32_t *class_of);

/* The period of the class that has that state; 0: it has no cycle. UINT32_MAX: no memory. */
uint32_t markov_period(const struct markov_matrix *p, const uint32_t *class_of, uint32_t state);

#endif
