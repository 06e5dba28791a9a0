/*
 * What instances that are not recorded add to a total, and how good this estimate is. One of N instances is recorded,
 * chosen at random in each block of N; the weight of a recorded one is the number of instances since the one before.
 *
 * Between two recorded instances, the others are taken for the mean of the two. This is better than values times
 * weights: a weight depends on where in its block the instance lies, and in a program with a period of N so does the
 * value. The sum of values times weights is then wrong by up to half of itself, whatever the number of samples.
 *
 * The variance comes from the differences of neighbours, so a slow trend does not count. Recorded values are exact and
 * have no variance. Estimates of different threads and places are independent, and add up.
 *
 * The interval covers the true total in at least 93 % of all runs. It fails where rare values, of which the sample has
 * hardly any, are a large part of the total: nothing in the sample shows them.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_UNRECORDED_ESTIMATES_ESTIMATE_H
#define HEDDLE_ANALYZER_ANALYSES_UNRECORDED_ESTIMATES_ESTIMATE_H

#include "base/statistics.h"

#include <stdbool.h>
#include <stdint.h>

/* {0}: all is recorded. Values are ticks, or 0 and 1 where instances are counted. */
struct estimate {
  wide_total twice;  /* twice the sum of the values that are not recorded */
  double variance;   /* of this sum; infinite: unknown */
  uint64_t left_out; /* values that are not recorded; of several domains: in any of them */
  double of_squares; /* sum of the squares of the variance's parts: how many samples it rests on */
};

void estimate_add(struct estimate *sum, const struct estimate *part);

/* The sum of the values that are not recorded, rounded. */
static inline wide_total estimate_more(const struct estimate *estimate)
{
  return (estimate->twice + 1) / 2;
}

/* The total is in total +- this in at least 93 % of all cases, nominally in 95 %. 0: it is exact, or all recorded
 * values are the same; infinite: unknown, as if all recorded values are 0. */
double estimate_half_width(const struct estimate *estimate);

#endif
