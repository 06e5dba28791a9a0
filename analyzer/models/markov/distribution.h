/*
 * How occupancy times are distributed: exact values with their counts as long as there are few of them, then buckets
 * whose width is at most 1/128 of the values in them. Count, total, minimum, maximum and deviation stay exact (but for
 * rounding).
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_DISTRIBUTION_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  MARKOV_EXACT_VALUES = 512, /* distinct values that are kept as they are */
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
  uint64_t count, total; /* of occupancies; of ticks: the caller sees to it that they fit */
  uint64_t min, max;     /* valid if count > 0 */
  double mean, squares;  /* running mean, and the sum of squared deviations from it */
  bool exact;            /* cells are single values */
  struct markov_slot *slots;
  uint32_t capacity, used;
};

/* All zeros but for `exact`, which is true. */
void markov_distribution_begin(struct markov_distribution *distribution);
void markov_distribution_free(struct markov_distribution *distribution);

/* `times` more occupancies of that length; times > 0. False: no memory. */
bool markov_distribution_add(struct markov_distribution *distribution, uint64_t ticks, uint64_t times);

/* All of `other`, too. False: no memory. */
bool markov_distribution_merge(struct markov_distribution *distribution, const struct markov_distribution *other);

/* In mean ticks; 0 if there is none. */
double markov_distribution_mean(const struct markov_distribution *distribution);

/* Standard deviation, divided by count (population) or count - 1 (sample). NAN: too few. */
double markov_distribution_deviation(const struct markov_distribution *distribution, bool sample);

/* The cells that are in use, ascending; the caller frees them. NULL: no memory, or there are none. */
struct markov_cell *markov_distribution_cells(const struct markov_distribution *distribution, size_t *count);

/* Where the bucket begins that a value falls into, and the last value of the bucket that begins at `low`. */
uint64_t markov_bucket_low(uint64_t value);
uint64_t markov_bucket_high(uint64_t low);

/* Fills a cell as it was once read out; count > 0. Sets neither total nor minimum, maximum, mean, squares. False: no
 * memory. */
bool markov_distribution_put(struct markov_distribution *distribution, uint64_t low, uint64_t count);

#endif
