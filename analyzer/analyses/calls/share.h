/* The share of samples that a function has, and the interval in which its share of the time lies. */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_SHARE_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_SHARE_H

#include <math.h>

#define CALLS_QUANTILE 1.959963984540054 /* of the normal distribution: 95 % lie within so many standard deviations */

/* All from 0 to 1. */
struct calls_share {
  double share, low, high;
};

/*
 * Wilson's score interval of 95 % for `part` of `all` samples. Unlike the normal approximation it is good for few
 * samples and for shares near 0 and 1. Of 0 samples: from 0 to 1.
 */
static inline struct calls_share calls_share_of(double part, double all)
{
  const double z = CALLS_QUANTILE;
  if (!(all > 0))
    return (struct calls_share){0, 0, 1};
  double share = part / all, shrink = 1 + z * z / all;
  double middle = (share + z * z / (2 * all)) / shrink;
  double half = z * sqrt(share * (1 - share) / all + z * z / (4 * all * all)) / shrink;
  return (struct calls_share){share, part > 0 ? fmax(0, middle - half) : 0, part < all ? fmin(1, middle + half) : 1};
}

#endif
