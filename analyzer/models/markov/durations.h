/*
 * Private to markov/: is the duration of a visit what a semi-Markov model says: independent of the visit before and of
 * the state after it? Durations are put into four classes by the quartiles of their state.
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

/*
 * Are long visits so long that they decide the mean? Above a high threshold, excesses of a light
 * tail are exponential or lighter; those of a heavy one grow with the threshold.
 */

enum { MARKOV_TAIL_LEAST = 50 }; /* excesses that a test needs */

struct markov_tail {
  bool is_tested;
  double p;         /* that an exponential tail looks as heavy (Gnedenko's test), at the threshold of the largest p */
  double threshold; /* ticks: the highest threshold that was tested */
  uint64_t above;   /* visits above it */
  double
      index; /* alpha: P(longer than x) falls as x^-alpha (Hill's estimate); below 2: no variance, below 1: no mean */
  double low, high; /* its interval of 95 %, exact for a power law */
  double longest;   /* the longest visit's part of the state's time */
};

/* False: no memory. */
bool markov_tail_test(const struct markov_distribution *occupancy, struct markov_tail *tail);

/* The smallest 1 / alpha that is seen at this level with so many visits; INFINITY: none below 1. */
double markov_tail_smallest(double level, uint64_t visits);

#endif
