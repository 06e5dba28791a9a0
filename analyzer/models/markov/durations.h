/*
 * Private to markov/: is the duration of a visit what a semi-Markov model says: independent of the visit before and of
 * the state after it? Durations are put into four classes by the quartiles of their state.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_DURATIONS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_DURATIONS_H

#include "analyzer/models/markov/statistics.h"
#include "analyzer/models/markov/model.h"

enum { MARKOV_CLASSES = 4, MARKOV_CLASS_PAIRS = MARKOV_CLASSES * MARKOV_CLASSES };

struct markov_durations {
  const struct markov_model *run;
  uint64_t *quartiles; /* by state: three */
  uint64_t *pairs;     /* by edge: how often a class of the one state was followed by a class of the other */
};

/* The run, as a model, outlives it. False: no memory; to be freed also then. */
bool markov_durations_begin(struct markov_durations *durations, const struct markov_model *run);
void markov_durations_free(struct markov_durations *durations);

static inline unsigned markov_duration_class(const struct markov_durations *durations, uint32_t state, uint64_t ticks)
{
  const uint64_t *quartiles = &durations->quartiles[(size_t)state * (MARKOV_CLASSES - 1)];
  return (ticks > quartiles[0]) + (ticks > quartiles[1]) + (ticks > quartiles[2]);
}

/* A transition of the run, by its index, and the classes of both visits. */
static inline void markov_durations_add(struct markov_durations *durations, size_t edge, unsigned before,
                                        unsigned after)
{
  durations->pairs[edge * MARKOV_CLASS_PAIRS + before * MARKOV_CLASSES + after]++;
}

/* Tables of transitions: the class of the visit after by that of the visit before. False: no memory. */
bool markov_durations_consecutive(const struct markov_durations *durations, struct markov_independence *result);

/* Tables of states: the next state by the class of the visit. False: no memory. */
bool markov_durations_next(const struct markov_durations *durations, struct markov_independence *result);

#endif
