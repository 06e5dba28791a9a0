/*
 * Private to markov/: how often each transition from one state to another occurs. Also for transitions of second order,
 * where `from` is the number of a transition. Memory grows with distinct transitions.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_TRANSITION_COUNTS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_TRANSITION_COUNTS_H

#include "base/hash.h"

struct markov_transition {
  uint32_t from, to;
  uint64_t count; /* > 0 */
};

/* All zeros is an empty one. */
struct markov_transition_counts {
  struct hash counts; /* from << 32 | to -> count */
};

static inline size_t markov_transition_counts_distinct(const struct markov_transition_counts *counts)
{
  return counts->counts.count;
}

/* `times` more; times > 0. False: out of memory. */
bool markov_transition_counts_add(struct markov_transition_counts *counts, uint32_t from, uint32_t to, uint64_t times);

/* All transitions by ascending from, then to; the caller frees them. NULL: out of memory (also if there are none). */
struct markov_transition *markov_transition_counts_sorted(const struct markov_transition_counts *counts);

void markov_transition_counts_free(struct markov_transition_counts *counts);

#endif
