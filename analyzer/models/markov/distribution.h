/*
 * Distribution of occupancy times: exact values with their counts while they are few, then buckets whose width is at
 * most 1/128 of their values. Count, total, minimum, maximum and deviation stay exact, except for rounding.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_DISTRIBUTION_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  MARKOV_EXACT_VALUES = 512, /* distinct values before buckets are used */
  MARKOV_BUCKET_BITS = 7     /* a bucket beginning at v is at most v / 2^bits wide */
};

/* `count` occupancies of low to high ticks, both included. */
struct markov_cell {
  uint64_t low, high, count;
};

struct markov_slot {
  uint64_t low, count; /* count 0: free */
};

struct markov_distribution {
  uint64_t count, total; /* count: of occupancies; total: ticks, which the caller keeps below 2^64 */
  uint64_t min, max;     /* valid if count > 0 */
  double mean, squares;  /* running mean, and the sum of squared deviations from it */
  bool exact;            /* cells are single values */
  struct markov_slot *slots;
  uint32_t capacity, used;
};

/* All zeros but for `exact`, which is true. */
void markov_distribution_begin(struct markov_distribution *distribution);
void markov_distribution_free(struct markov_distribution *distribution);

/* Adds `times` occupancies of `ticks`; times > 0. False: out of memory. */
bool markov_distribution_add(struct markov_distribution *distribution, uint64_t ticks, uint64_t times);

/* Adds all of `other`. False: out of memory. */
bool markov_distribution_merge(struct markov_distribution *distribution, const struct markov_distribution *other);

/* Returns the mean in ticks; 0: there is no occupancy. */
double markov_distribution_mean(const struct markov_distribution *distribution);

/* Returns the standard deviation, of the population (divided by count) or a sample (by count - 1). NAN: too few. */
double markov_distribution_deviation(const struct markov_distribution *distribution, bool sample);

/* Returns the used cells in ascending order; the caller frees them. NULL: out of memory, or there are none. */
struct markov_cell *markov_distribution_cells(const struct markov_distribution *distribution, size_t *count);

/* Return the first value of the bucket of `value`, and the last value of the bucket that begins at `low`. */
uint64_t markov_bucket_low(uint64_t value);
uint64_t markov_bucket_high(uint64_t low);

/*
 * Restores a cell that markov_distribution_cells() returned; count > 0. Does not set total, minimum, maximum, mean,
 * squares. False: out of memory.
 */
bool markov_distribution_put(struct markov_distribution *distribution, uint64_t low, uint64_t count);

#endif
