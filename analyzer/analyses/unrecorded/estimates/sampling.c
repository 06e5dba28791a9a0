#include "analyzer/analyses/unrecorded/estimates/sampling.h"

#include <math.h>

static void put(struct sampling_step *step, uint32_t domain, uint64_t instances, wide_total twice, double variance)
{
  struct estimate more = {
      .twice = twice, .variance = variance, .of_squares = variance * variance, .left_out = instances};
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
