/*
 * Are long visits so long that they decide the mean? Above a high threshold, excesses of a light
 * tail are exponential or lighter; those of a heavy one grow with the threshold.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_TAIL_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_TAIL_H

#include "analyzer/models/markov/distribution.h"

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
