/*
 * Tests of durations. In a semi-Markov model, the duration of a visit is independent of the visit before and of the
 * state after it. A few long visits do not determine its mean.
 *
 * Private to markov/: the test of independence. Durations have four classes, by the quartiles of their state.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_DURATIONS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_DURATIONS_H

#include "analyzer/models/markov/distribution.h"
#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/statistics.h"

enum { MARKOV_CLASSES = 4, MARKOV_CLASS_PAIRS = MARKOV_CLASSES * MARKOV_CLASSES };

struct markov_durations {
  const struct markov_model *run;
  uint64_t *quartiles; /* by state: three */
  uint64_t *pairs;     /* by edge, class before and class after: count */
};

/* `run`, the model of the run, outlives it. False: out of memory; free it also then. */
bool markov_durations_begin(struct markov_durations *durations, const struct markov_model *run);
void markov_durations_free(struct markov_durations *durations);

static inline unsigned markov_duration_class(const struct markov_durations *durations, uint32_t state, uint64_t ticks)
{
  const uint64_t *quartiles = &durations->quartiles[(size_t)state * (MARKOV_CLASSES - 1)];
  return (ticks > quartiles[0]) + (ticks > quartiles[1]) + (ticks > quartiles[2]);
}

/* Adds a transition, by its index, with the classes of both visits. */
static inline void markov_durations_add(struct markov_durations *durations, size_t edge, unsigned before,
                                        unsigned after)
{
  durations->pairs[edge * MARKOV_CLASS_PAIRS + before * MARKOV_CLASSES + after]++;
}

/* Tests, for each transition, whether the class after depends on the class before. False: out of memory. */
bool markov_durations_consecutive(const struct markov_durations *durations, struct markov_independence *result);

/* Tests, for each state, whether the next state depends on the class of the visit. False: out of memory. */
bool markov_durations_next(const struct markov_durations *durations, struct markov_independence *result);

/*
 * Heavy tails. Above a high threshold, the excesses of a light tail are exponential or lighter; the excesses of a heavy
 * tail grow with the threshold.
 */

enum { MARKOV_TAIL_LEAST = 50 }; /* excesses that a test needs */

struct markov_tail {
  bool is_tested;
  double p; /* probability of a tail as heavy as this one if it is exponential (Gnedenko's test), at the threshold of
             * the largest p */
  double threshold; /* ticks: the highest tested threshold */
  uint64_t above;   /* visits above it */
  double
      index; /* alpha: P(longer than x) falls as x^-alpha (Hill's estimate); below 2: no variance, below 1: no mean */
  double low, high; /* its interval of 95 %, exact for a power law */
  double longest;   /* part of the state's time in its longest visit */
};

/* False: out of memory. */
bool markov_tail_test(const struct markov_distribution *occupancy, struct markov_tail *tail);

/* Returns the smallest 1 / alpha that is detected at this level with this number of visits; INFINITY: none below 1. */
double markov_tail_smallest(double level, uint64_t visits);

#endif
