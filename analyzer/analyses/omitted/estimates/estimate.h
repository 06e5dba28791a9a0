/*
 * Estimate of what instances that are not recorded add to a total, and how good this estimate is. One of N instances is
 * recorded, chosen at random in each block of N. The weight of a recorded one is the number of instances since the one
 * before.
 *
 * Between two recorded instances, the others are taken for the mean of the two. This is better than values times
 * weights. A weight depends on the instance's position in its block; in a program with a period of N, the value does,
 * too. The sum of values times weights is then wrong by up to half of itself, whatever the number of samples.
 *
 * The variance comes from the differences of neighbours, so a slow trend does not count. Recorded values are exact and
 * have no variance. Estimates of different threads and places are independent, and add up.
 *
 * The interval covers the true total in at least 93 % of all runs. It fails if rare values are a large part of the
 * total and hardly any are sampled: nothing in the sample shows them.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_OMITTED_ESTIMATES_ESTIMATE_H
#define HEDDLE_ANALYZER_ANALYSES_OMITTED_ESTIMATES_ESTIMATE_H

#include "base/statistics.h"

#include <stdbool.h>
#include <stdint.h>

/* {0}: all is recorded. Values are ticks, or 0 and 1 where instances are counted. */
struct estimate {
  wide_total twice;  /* twice the sum of the values that are not recorded */
  double variance;   /* of this sum; infinite: unknown */
  uint64_t omitted;  /* values that are not recorded; of several domains: in any of them */
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

/*
 * The recorded instances of one place on one thread, in order, and what the others in between add to estimates. A
 * sample belongs to a domain, such as the lock that it acquired: each domain has a total of its own.
 */

struct sample {
  uint64_t value;
  uint32_t domain;
};

/* {0} at the begin. */
struct sampling {
  bool any;
  bool only_first; /* so far, and with a weight of 1: it is recorded always, and may be slow as nothing is warm */
  bool mixed;      /* it has samples of several domains */
  uint64_t head;   /* instances before the first sample */
  struct sample first, last; /* samples */
  uint64_t pairs;            /* of neighbours in one domain */
  double spread;             /* the sum of the squares of their differences, halved */
};

/* What domains get. The same domain may have two parts. */
struct sampling_step {
  struct sampling_part {
    uint32_t domain;
    struct estimate more;
  } parts[2];
  unsigned count; /* 0 where all instances are recorded */
};

/* The next sample. `weight`: the instances since the sample before, with this one; at least 1. */
void sampling_take(struct sampling *sampling, uint64_t weight, struct sample sample, struct sampling_step *step);

/* After the last sample came so many instances. Without any sample nothing is known of them. */
void sampling_end(const struct sampling *sampling, uint64_t instances, struct sampling_step *step);

#endif
