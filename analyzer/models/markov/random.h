/*
 * Pseudo-random numbers, the same on every machine: xoshiro256** 1.0 (Blackman and Vigna 2018), its four words filled
 * by splitmix64 from the seed. Only integers are drawn.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_RANDOM_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_RANDOM_H

#include <stdint.h>

struct markov_random {
  uint64_t word[4];
};

void markov_random_seed(struct markov_random *random, uint64_t seed);

/* Returns any of 2^64 numbers. */
uint64_t markov_random_next(struct markov_random *random);

/* Returns 0 to limit - 1 with equal probability; limit > 0. */
uint64_t markov_random_below(struct markov_random *random, uint64_t limit);

#endif
