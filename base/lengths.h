/* What many lengths of time have in common: exact sums, and a histogram from which percentiles follow. */
#ifndef HEDDLE_BASE_LENGTHS_H
#define HEDDLE_BASE_LENGTHS_H

#include "base/totals.h"

#include <stdbool.h>
#include <stdint.h>

#define LENGTHS_PARTS   32                             /* of each power of two: a percentile is exact to 1/32 */
#define LENGTHS_BUCKETS (LENGTHS_PARTS * (64 - 5 + 1)) /* lengths below LENGTHS_PARTS have one each */

struct lengths {
  uint64_t count, min, max;
  wide_total total, squares; /* ticks; squares of ticks, modulo 2^128 in damaged archives */
  uint64_t *buckets;         /* LENGTHS_BUCKETS; NULL: nothing was added */
};

/* False: out of memory. */
bool lengths_add(struct lengths *lengths, uint64_t ticks);
bool lengths_merge(struct lengths *into, const struct lengths *from);
void lengths_free(struct lengths *lengths);

double lengths_mean(const struct lengths *lengths);
double lengths_deviation(const struct lengths *lengths); /* of all of them, not of a sample */
/* The length that `part` (0 to 1) of them do not exceed, rounded up by less than 1/32; 0 if there are none. */
uint64_t lengths_percentile(const struct lengths *lengths, double part);
/* How many are shorter than a power of two, and not shorter than the one before: [0] below 1 tick, [k] below 2^k. */
void lengths_histogram(const struct lengths *lengths, uint64_t counts[65]);

#endif
