#include "analyzer/models/markov/replicate.h"

#include "analyzer/models/markov/power.h"
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>

#define RECORDS_MOST 50000 /* of a run of a pair; longer ones are shortened, and differences scaled */

static double replicate_part(double of, double all)
{
  return all > 0 ? of / all : 0;
}

double markov_shares_apart(const struct markov_sample *one, const struct markov_sample *other, uint32_t count)
{
  double apart = 0;
  for (uint32_t i = 0; i < count; i++)
    apart += fabs(replicate_part(one->time[i], one->all) - replicate_part(other->time[i], other->all));
  return apart / 2;
}

/* The variance of a difference goes with 1 / length of one run + 1 / length of the other. */
bool markov_replicate(struct markov_replicates *replicates, const struct markov_model *model, uint64_t own,
                      uint64_t other, uint32_t reference, uint64_t seed, unsigned count)
{
  double own_drawn = fmin((double)own, RECORDS_MOST), other_drawn = fmin((double)other, RECORDS_MOST);
  double scale = sqrt((1 / (double)own + 1 / (double)other) / (1 / own_drawn + 1 / other_drawn));
  struct markov_drawer *drawer = markov_drawer_create(model);
  struct markov_sample one = {0}, two = {0};
  struct markov_random random;
  *replicates = (struct markov_replicates){
      .shares = calloc(count + 1, sizeof(double)), .cycles = calloc(count + 1, sizeof(double)), .shortened = scale < 1};
  bool good = drawer && replicates->shares && replicates->cycles &&
              markov_sample_create(&one, model->count, reference) &&
              markov_sample_create(&two, model->count, reference);
  markov_random_seed(&random, seed);
  for (unsigned i = 0; good && i < count; i++) {
    markov_sample_draw(&one, drawer, &random, (uint64_t)own_drawn);
    markov_sample_draw(&two, drawer, &random, (uint64_t)other_drawn);
    replicates->shares[replicates->share_count++] = markov_shares_apart(&one, &two, model->count) * scale;
    double apart = fabs(markov_sample_cycle(&one) - markov_sample_cycle(&two)) * scale;
    if (!isnan(apart))
      replicates->cycles[replicates->cycle_count++] = apart;
  }
  if (good) {
    doubles_sort(replicates->shares, replicates->share_count);
    doubles_sort(replicates->cycles, replicates->cycle_count);
  }
  markov_drawer_free(drawer);
  markov_sample_free(&one);
  markov_sample_free(&two);
  return good;
}

void markov_replicates_free(struct markov_replicates *replicates)
{
  free(replicates->shares);
  free(replicates->cycles);
}

double markov_replicates_p(const double *differences, unsigned count, double difference)
{
  unsigned as_far = 0;
  while (as_far < count && differences[count - 1 - as_far] >= difference * (1 - 1e-12))
    as_far++;
  return (1. + as_far) / (1. + count);
}

/* Chance takes away no more than it makes: the triangle's inequality. */
double markov_replicates_smallest(const double *differences, unsigned count, double level)
{
  return differences[(unsigned)((1 - level) * (count - 1))] + differences[(unsigned)(MARKOV_POWER * (count - 1))];
}
