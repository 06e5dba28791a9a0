#include "analyzer/analyses/omitted/estimates/estimate.h"

#include <math.h>

void estimate_add(struct estimate *sum, const struct estimate *part)
{
  sum->twice += part->twice;
  sum->variance += part->variance;
  sum->of_squares += part->of_squares;
  sum->omitted += part->omitted;
}

/* P(|T| <= t) = 0.95, for Student's t; at least 1 degree of freedom; the error is below 1 % from 2 on. */
static double student(double freedom)
{
  double x = 1 / freedom;
  return 1.959964 + x * (2.372271 + x * (2.822498 + x * (2.555850 + x * 1.589534)));
}

#define UNKNOWN_FROM 3 /* an interval of the logarithm of this half-width, a factor of 20, says nothing */

/*
 * Neighbours share an instance, so n differences have n / 3 degrees of freedom if the values are normal. They have few
 * if few of them stand out. (Exactly, it is twice as many; but durations have a long tail to the right.) A sample that
 * misses the tail has too small a sum and also too small a variance. The interval of the logarithm is wider there, and
 * the same if the estimate is good.
 */
double estimate_half_width(const struct estimate *estimate)
{
  if (estimate->variance <= 0)
    return estimate->omitted > 0 && estimate->twice == 0 ? INFINITY : 0;
  if (!isfinite(estimate->variance))
    return INFINITY;
  double freedom = estimate->variance * estimate->variance / estimate->of_squares;
  double half = student(freedom) * sqrt(estimate->variance);
  double more = (double)estimate->twice / 2;
  return more <= 0 ? half : half < UNKNOWN_FROM * more ? more * expm1(half / more) : INFINITY;
}

static void put(struct sampling_step *step, uint32_t domain, uint64_t instances, wide_total twice, double variance)
{
  struct estimate more = {
      .twice = twice, .variance = variance, .of_squares = variance * variance, .omitted = instances};
  if (instances > 0)
    step->parts[step->count++] = (struct sampling_part){domain, more};
}

/* Half the square of the difference: the variance of one value. */
static double spread_of(uint64_t a, uint64_t b)
{
  double difference = a > b ? (double)(a - b) : (double)(b - a);
  return difference * difference / 2;
}

/* Half of the instances in between are taken for one neighbour, half for the other one. A neighbour in another domain
 * has 0 in this one. */
void sampling_take(struct sampling *sampling, uint64_t weight, struct sample sample, struct sampling_step *step)
{
  step->count = 0;
  if (!sampling->any) {
    *sampling =
        (struct sampling){.any = true, .only_first = weight == 1, .head = weight - 1, .first = sample, .last = sample};
    return;
  }
  uint64_t gap = weight - 1;
  if (sampling->only_first && gap > 0) { /* the first one was not chosen at random: it stands for no other */
    *sampling = (struct sampling){.any = true, .head = gap, .first = sample, .last = sample};
    return;
  }
  sampling->only_first = false;
  struct sample before = sampling->last;
  bool same = before.domain == sample.domain;
  double factor = (double)weight * (double)weight - 1;
  if (same) {
    double spread = spread_of(before.value, sample.value);
    sampling->pairs++;
    sampling->spread += spread;
    put(step, sample.domain, gap, (wide_total)gap * ((wide_total)before.value + sample.value), factor * spread);
  } else {
    put(step, before.domain, gap, (wide_total)gap * before.value, factor * spread_of(before.value, 0));
    put(step, sample.domain, gap, (wide_total)gap * sample.value, factor * spread_of(sample.value, 0));
  }
  sampling->mixed |= !same;
  sampling->last = sample;
}

/* Instances with only one neighbour, which they are taken for. */
static void put_outer(const struct sampling *sampling, uint64_t instances, struct sample neighbour,
                      struct sampling_step *step)
{
  double spread = sampling->mixed       ? 2 * spread_of(neighbour.value, 0)
                  : sampling->pairs > 0 ? sampling->spread / (double)sampling->pairs
                                        : INFINITY;
  double number = (double)instances;
  if (instances > 0)
    put(step, neighbour.domain, instances, 2 * (wide_total)instances * neighbour.value,
        (number * number + number) * spread);
}

void sampling_end(const struct sampling *sampling, uint64_t instances, struct sampling_step *step)
{
  step->count = 0;
  if (!sampling->any)
    return;
  put_outer(sampling, sampling->head, sampling->first, step);
  put_outer(sampling, instances, sampling->last, step);
}
