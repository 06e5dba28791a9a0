#include "analyzer/analyses/unrecorded/estimates/estimate.h"

#include <math.h>

void estimate_add(struct estimate *sum, const struct estimate *part)
{
  sum->twice += part->twice;
  sum->variance += part->variance;
  sum->of_squares += part->of_squares;
  sum->left_out += part->left_out;
}

/* P(|T| <= t) = 0.95, for Student's t; at least 1 degree of freedom; the error is below 1 % from 2 on. */
static double student(double freedom)
{
  double x = 1 / freedom;
  return 1.959964 + x * (2.372271 + x * (2.822498 + x * (2.555850 + x * 1.589534)));
}

#define UNKNOWN_FROM 3 /* an interval of the logarithm of this half-width, a factor of 20, says nothing */

/*
 * Neighbours share an instance, so n differences have n / 3 degrees of freedom if the values are normal, and few if few
 * of them stand out. (Exactly, it is twice as many; but durations have a long tail to the right.) A sample that misses
 * the tail has too small a sum and also too small a variance: the interval of the logarithm is wider there, and the
 * same if the estimate is good.
 */
double estimate_half_width(const struct estimate *estimate)
{
  if (estimate->variance <= 0)
    return estimate->left_out > 0 && estimate->twice == 0 ? INFINITY : 0;
  if (!isfinite(estimate->variance))
    return INFINITY;
  double freedom = estimate->variance * estimate->variance / estimate->of_squares;
  double half = student(freedom) * sqrt(estimate->variance);
  double more = (double)estimate->twice / 2;
  return more <= 0 ? half : half < UNKNOWN_FROM * more ? more * expm1(half / more) : INFINITY;
}
