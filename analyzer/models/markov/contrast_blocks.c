#include "analyzer/models/markov/contrast.h"

#include "analyzer/models/markov/independent.h"
#include "analyzer/models/markov/random.h"
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>

enum { CONTRAST_BLOCKS_PERMUTATIONS = 999 };
#define CONTRAST_BLOCKS_NORMAL_OF_POWER                                                                                \
  1.2815515655446004 /* a normal variable exceeds minus this with probability MARKOV_POWER */

struct contrast_blocks_comparing {
  const struct markov_tally *tally;
  const struct markov_same_options *options;
  struct markov_sameness *result;
  struct markov_sums sums[2];
  uint32_t joined, blocks[2], all; /* joined blocks of the runs, and of both */
  double *values;                  /* by ratio, then block of the one run and the other: residuals */
  double *scratch, *largest;       /* largest: of the permutations */
  uint32_t *order;
  uint32_t permutations;
};

/* Each run by its own ratios. */
static bool look_independent(struct contrast_blocks_comparing *comparing, uint32_t joined)
{
  const struct markov_tally *tally = comparing->tally;
  for (unsigned run = 0; run < 2; run++) {
    const struct markov_sums *sums = &comparing->sums[run];
    uint32_t count = sums->count / joined;
    for (uint32_t f = 0; f < tally->count; f++) {
      double own = markov_ratio_of(&tally->ratios[f], sums->all);
      markov_residuals(tally, sums, joined, &tally->ratios[f], isnan(own) ? 0 : own,
                       &comparing->values[(size_t)f * count]);
    }
    if (!markov_look_independent(comparing->values, tally->count, count, comparing->scratch))
      return false;
  }
  return true;
}

/* How many blocks are one. 0: there are too few. */
static uint32_t find_joined(struct contrast_blocks_comparing *comparing)
{
  uint32_t fewer =
      comparing->sums[0].count < comparing->sums[1].count ? comparing->sums[0].count : comparing->sums[1].count;
  uint32_t joined = 1;
  while (fewer / joined >= MARKOV_JOINED_MARGIN * MARKOV_JOINED_LEAST) {
    if (look_independent(comparing, joined))
      return joined * MARKOV_JOINED_MARGIN;
    joined *= 2;
  }
  return 0;
}

/* The residuals of both runs by the ratio of both. Returns the sum that the ratio is taken of. */
static double contrast_blocks_fill(struct contrast_blocks_comparing *comparing, uint32_t f)
{
  const struct markov_tally *tally = comparing->tally;
  const struct markov_ratio *ratio = &tally->ratios[f];
  double *values = &comparing->values[(size_t)f * comparing->all], of = 0, by = 0;
  for (unsigned run = 0; run < 2; run++) {
    const struct markov_sums *sums = &comparing->sums[run];
    for (uint32_t i = 0; i < sums->count / comparing->joined * comparing->joined; i++) {
      of += sums->blocks[(size_t)i * tally->columns + ratio->of];
      by += sums->blocks[(size_t)i * tally->columns + ratio->by];
    }
  }
  double expected = by > 0 ? of / by : 0;
  uint32_t first = markov_residuals(tally, &comparing->sums[0], comparing->joined, ratio, expected, values);
  markov_residuals(tally, &comparing->sums[1], comparing->joined, ratio, expected, values + first);
  return by;
}

/* Sums over blocks. */
struct moments {
  double sum, squares;
  uint32_t count;
};

static double mean_of(const struct moments *moments)
{
  return moments->sum / moments->count;
}

static double variance_of_mean(const struct moments *moments)
{
  double squares = moments->squares - moments->sum * moments->sum / moments->count;
  return fmax(0, squares) / (moments->count - 1) / moments->count;
}

static double standard_error(const struct moments *one, const struct moments *other)
{
  return sqrt(variance_of_mean(one) + variance_of_mean(other));
}

static struct moments moments_of(const double *values, const uint32_t *order, uint32_t count)
{
  struct moments moments = {0, 0, count};
  for (uint32_t i = 0; i < count; i++) {
    double value = values[order ? order[i] : i];
    moments.sum += value;
    moments.squares += value * value;
  }
  return moments;
}

/* The difference between the first blocks of the order and the others, in its standard errors. */
static double statistic(const double *values, const struct moments *all, const uint32_t *order, uint32_t count)
{
  struct moments one = moments_of(values, order, count);
  struct moments other = {all->sum - one.sum, all->squares - one.squares, all->count - count};
  double apart = fabs(mean_of(&one) - mean_of(&other)), error = standard_error(&one, &other);
  double least = 1e-9 * sqrt(all->squares / all->count); /* what rounding makes */
  return apart <= least ? 0 : error <= least ? INFINITY : apart / error;
}

/* The largest statistic of all ratios, for each permutation: an exact test of all of them together. */
static void permute(struct contrast_blocks_comparing *comparing, const struct moments *all)
{
  const struct markov_tally *tally = comparing->tally;
  struct markov_random random;
  uint32_t fewer = comparing->blocks[0] < comparing->blocks[1] ? comparing->blocks[0] : comparing->blocks[1];
  markov_random_seed(&random, comparing->options->seed);
  for (uint32_t i = 0; i < comparing->all; i++)
    comparing->order[i] = i;
  for (uint32_t i = 0; i < comparing->permutations; i++) {
    for (uint32_t k = 0; k < fewer; k++) {
      uint32_t other = k + (uint32_t)markov_random_below(&random, comparing->all - k), own = comparing->order[k];
      comparing->order[k] = comparing->order[other];
      comparing->order[other] = own;
    }
    double most = 0;
    for (uint32_t f = 0; f < tally->count; f++)
      most = fmax(most, statistic(&comparing->values[(size_t)f * comparing->all], &all[f], comparing->order, fewer));
    comparing->largest[i] = most;
  }
  doubles_sort(comparing->largest, comparing->permutations);
}

static double contrast_blocks_chance_of(const struct contrast_blocks_comparing *comparing, double observed)
{
  uint32_t as_far = 0;
  while (as_far < comparing->permutations &&
         comparing->largest[comparing->permutations - 1 - as_far] >= observed * (1 - 1e-12))
    as_far++;
  return (1. + as_far) / (1. + comparing->permutations);
}

static void contrast_blocks_decide(struct contrast_blocks_comparing *comparing, uint32_t f, const struct moments *all,
                                   double by)
{
  struct markov_contrast *contrast = &comparing->result->list[f];
  const double *values = &comparing->values[(size_t)f * comparing->all];
  if (isnan(contrast->figures[0]) || isnan(contrast->figures[1]) || by <= 0)
    return;
  struct moments one = moments_of(values, NULL, comparing->blocks[0]);
  struct moments other = moments_of(values + comparing->blocks[0], NULL, comparing->blocks[1]);
  double limit = comparing->largest[(uint32_t)((1 - comparing->options->level) * (comparing->permutations - 1))];
  contrast->p = contrast_blocks_chance_of(comparing, statistic(values, all, NULL, comparing->blocks[0]));
  contrast->smallest =
      isfinite(limit) ? (limit + CONTRAST_BLOCKS_NORMAL_OF_POWER) * standard_error(&one, &other) * comparing->all / by
                      : INFINITY;
}

static bool test(struct contrast_blocks_comparing *comparing)
{
  const struct markov_tally *tally = comparing->tally;
  struct moments *all = calloc((size_t)tally->count + 1, sizeof *all);
  double *by = calloc((size_t)tally->count + 1, sizeof *by);
  bool good = all && by;
  for (unsigned run = 0; run < 2; run++)
    comparing->result->blocks[run] = comparing->blocks[run] = comparing->sums[run].count / comparing->joined;
  comparing->all = comparing->blocks[0] + comparing->blocks[1];
  comparing->result->block = comparing->sums[0].length * comparing->joined;
  for (uint32_t f = 0; good && f < tally->count; f++) {
    by[f] = contrast_blocks_fill(comparing, f);
    all[f] = moments_of(&comparing->values[(size_t)f * comparing->all], NULL, comparing->all);
  }
  if (good)
    permute(comparing, all);
  for (uint32_t f = 0; good && f < tally->count; f++)
    contrast_blocks_decide(comparing, f, &all[f], by[f]);
  free(all);
  free(by);
  return good;
}

bool markov_contrast_blocks(const struct markov_tally *tally, const struct markov_tallied runs[2],
                            const struct markov_same_options *options, struct markov_sameness *result,
                            struct error *error)
{
  struct contrast_blocks_comparing comparing = {.tally = tally, .options = options, .result = result};
  uint64_t shorter = runs[0].records < runs[1].records ? runs[0].records : runs[1].records;
  uint64_t length = shorter / MARKOV_BLOCKS_MOST;
  length = length > MARKOV_BLOCK_RECORDS ? length : MARKOV_BLOCK_RECORDS;
  bool good = markov_tally_read(tally, &runs[0], length, &comparing.sums[0], error) &&
              markov_tally_read(tally, &runs[1], length, &comparing.sums[1], error);
  size_t room = (size_t)comparing.sums[0].count + comparing.sums[1].count;
  comparing.permutations = (uint32_t)fmax(CONTRAST_BLOCKS_PERMUTATIONS, ceil(2 / options->level));
  comparing.values = calloc(room * tally->count + 1, sizeof *comparing.values);
  comparing.scratch = calloc(room + 1, sizeof *comparing.scratch);
  comparing.order = calloc(room + 1, sizeof *comparing.order);
  comparing.largest = calloc(comparing.permutations, sizeof *comparing.largest);
  if (good && !(comparing.values && comparing.scratch && comparing.order && comparing.largest))
    good = error_set(error, "out of memory");
  for (unsigned run = 0; good && run < 2; run++) {
    for (uint32_t f = 0; f < tally->count; f++)
      result->list[f].figures[run] = markov_ratio_of(&tally->ratios[f], comparing.sums[run].all);
  }
  comparing.joined = good ? find_joined(&comparing) : 0;
  if (comparing.joined > 0)
    good = test(&comparing) || error_set(error, "out of memory");
  for (unsigned run = 0; run < 2; run++)
    markov_sums_free(&comparing.sums[run]);
  free(comparing.values);
  free(comparing.scratch);
  free(comparing.order);
  free(comparing.largest);
  return good;
}
