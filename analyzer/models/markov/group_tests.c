#include "analyzer/models/markov/group_tests.h"

#include "analyzer/models/markov/changes.h"
#include "analyzer/models/markov/statistics.h"
#include "base/rank_test.h"
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK_TEST_PERMUTATIONS = 999 };
#define BLOCK_TEST_NORMAL_OF_POWER                                                                                     \
  1.2815515655446004 /* a normal variable exceeds minus this with probability MARKOV_POWER */

struct block_test {
  const struct markov_ratio_table *table;
  const struct markov_compare_options *options;
  struct markov_group_comparison *result;
  struct markov_sums sums[2];
  uint32_t joined, blocks[2], all; /* joined blocks of the runs, and of both */
  double *values;                  /* by ratio, then block of the one run and the other: residuals */
  double *scratch, *largest;       /* largest: of the permutations */
  uint32_t *order;
  uint32_t permutations;
};

/* Each run by its own ratios. */
static bool look_independent(struct block_test *comparing, uint32_t joined)
{
  const struct markov_ratio_table *table = comparing->table;
  for (unsigned run = 0; run < 2; run++) {
    const struct markov_sums *sums = &comparing->sums[run];
    uint32_t count = sums->count / joined;
    for (uint32_t f = 0; f < table->count; f++) {
      double own = markov_ratio_of(&table->ratios[f], sums->all);
      markov_residuals(table, sums, joined, &table->ratios[f], isnan(own) ? 0 : own,
                       &comparing->values[(size_t)f * count]);
    }
    if (!markov_blocks_independent(comparing->values, table->count, count, comparing->scratch))
      return false;
  }
  return true;
}

/* Returns the number of blocks to join; 0: there are too few. */
static uint32_t find_joined(struct block_test *comparing)
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
static double block_test_fill(struct block_test *comparing, uint32_t f)
{
  const struct markov_ratio_table *table = comparing->table;
  const struct markov_ratio *ratio = &table->ratios[f];
  double *values = &comparing->values[(size_t)f * comparing->all], of = 0, by = 0;
  for (unsigned run = 0; run < 2; run++) {
    const struct markov_sums *sums = &comparing->sums[run];
    for (uint32_t i = 0; i < sums->count / comparing->joined * comparing->joined; i++) {
      of += sums->blocks[(size_t)i * table->columns + ratio->of];
      by += sums->blocks[(size_t)i * table->columns + ratio->by];
    }
  }
  double expected = by > 0 ? of / by : 0;
  uint32_t first = markov_residuals(table, &comparing->sums[0], comparing->joined, ratio, expected, values);
  markov_residuals(table, &comparing->sums[1], comparing->joined, ratio, expected, values + first);
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
static void permute(struct block_test *comparing, const struct moments *all)
{
  const struct markov_ratio_table *table = comparing->table;
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
    for (uint32_t f = 0; f < table->count; f++)
      most = fmax(most, statistic(&comparing->values[(size_t)f * comparing->all], &all[f], comparing->order, fewer));
    comparing->largest[i] = most;
  }
  doubles_sort(comparing->largest, comparing->permutations);
}

static double block_test_chance_of(const struct block_test *comparing, double observed)
{
  uint32_t as_far = 0;
  while (as_far < comparing->permutations &&
         comparing->largest[comparing->permutations - 1 - as_far] >= observed * (1 - 1e-12))
    as_far++;
  return (1. + as_far) / (1. + comparing->permutations);
}

static void block_test_decide(struct block_test *comparing, uint32_t f, const struct moments *all, double by)
{
  struct markov_contrast *contrast = &comparing->result->list[f];
  const double *values = &comparing->values[(size_t)f * comparing->all];
  if (isnan(contrast->figures[0]) || isnan(contrast->figures[1]) || by <= 0)
    return;
  struct moments one = moments_of(values, NULL, comparing->blocks[0]);
  struct moments other = moments_of(values + comparing->blocks[0], NULL, comparing->blocks[1]);
  double limit = comparing->largest[(uint32_t)((1 - comparing->options->level) * (comparing->permutations - 1))];
  contrast->p = block_test_chance_of(comparing, statistic(values, all, NULL, comparing->blocks[0]));
  contrast->smallest = isfinite(limit)
                           ? (limit + BLOCK_TEST_NORMAL_OF_POWER) * standard_error(&one, &other) * comparing->all / by
                           : INFINITY;
}

static bool test(struct block_test *comparing)
{
  const struct markov_ratio_table *table = comparing->table;
  struct moments *all = calloc((size_t)table->count + 1, sizeof *all);
  double *by = calloc((size_t)table->count + 1, sizeof *by);
  bool good = all && by;
  for (unsigned run = 0; run < 2; run++)
    comparing->result->blocks[run] = comparing->blocks[run] = comparing->sums[run].count / comparing->joined;
  comparing->all = comparing->blocks[0] + comparing->blocks[1];
  comparing->result->block = comparing->sums[0].length * comparing->joined;
  for (uint32_t f = 0; good && f < table->count; f++) {
    by[f] = block_test_fill(comparing, f);
    all[f] = moments_of(&comparing->values[(size_t)f * comparing->all], NULL, comparing->all);
  }
  if (good)
    permute(comparing, all);
  for (uint32_t f = 0; good && f < table->count; f++)
    block_test_decide(comparing, f, &all[f], by[f]);
  free(all);
  free(by);
  return good;
}

bool markov_test_blocks(const struct markov_ratio_table *table, const struct markov_compared_run runs[2],
                        const struct markov_compare_options *options, struct markov_group_comparison *result,
                        struct error *error)
{
  struct block_test comparing = {.table = table, .options = options, .result = result};
  uint64_t shorter = runs[0].records < runs[1].records ? runs[0].records : runs[1].records;
  uint64_t length = shorter / MARKOV_BLOCKS_MOST;
  length = length > MARKOV_BLOCK_RECORDS ? length : MARKOV_BLOCK_RECORDS;
  bool good = markov_sums_read(table, &runs[0], length, &comparing.sums[0], error) &&
              markov_sums_read(table, &runs[1], length, &comparing.sums[1], error);
  size_t room = (size_t)comparing.sums[0].count + comparing.sums[1].count;
  comparing.permutations = (uint32_t)fmax(BLOCK_TEST_PERMUTATIONS, ceil(2 / options->level));
  comparing.values = calloc(room * table->count + 1, sizeof *comparing.values);
  comparing.scratch = calloc(room + 1, sizeof *comparing.scratch);
  comparing.order = calloc(room + 1, sizeof *comparing.order);
  comparing.largest = calloc(comparing.permutations, sizeof *comparing.largest);
  if (good && !(comparing.values && comparing.scratch && comparing.order && comparing.largest))
    good = error_set(error, "out of memory");
  for (unsigned run = 0; good && run < 2; run++) {
    for (uint32_t f = 0; f < table->count; f++)
      result->list[f].figures[run] = markov_ratio_of(&table->ratios[f], comparing.sums[run].all);
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

enum {
  PARTS = MARKOV_RUN_LEAST
}; /* parts of a run at least, to estimate the chance variation of its figures; fewer than twice as many */

struct run_figure {
  double value; /* on a scale where figures of runs vary evenly; NAN: the run lacks it, or is too short */
  double error; /* variance of the value, by the parts of the run */
};

struct run_test {
  const struct markov_ratio_table *table;
  const struct markov_compare_options *options;
  struct markov_group_comparison *result;
  struct run_figure *figures; /* by ratio, then run */
  uint32_t all;
  const uint32_t *counts;
};

/* Parts by the arcsine of their root, durations by their logarithm: their variance depends less on their size. */
static double to_scale(enum markov_aspect aspect, double figure)
{
  return aspect == MARKOV_LASTS ? log1p(figure) : asin(sqrt(fmin(1, fmax(0, figure))));
}

static double from_scale(enum markov_aspect aspect, double value)
{
  return aspect == MARKOV_LASTS ? expm1(value) : pow(sin(fmin(M_PI / 2, fmax(0, value))), 2);
}

static double slope(enum markov_aspect aspect, double figure)
{
  return aspect == MARKOV_LASTS       ? 1 / (1 + figure)
         : figure <= 0 || figure >= 1 ? 0
                                      : 1 / sqrt(figure * (1 - figure)) / 2;
}

static struct run_figure run_test_figure_of(const struct markov_ratio_table *table, const struct markov_sums *sums,
                                            uint32_t f)
{
  const struct markov_ratio *ratio = &table->ratios[f];
  double own = markov_ratio_of(ratio, sums->all), values[2 * PARTS], squares = 0;
  struct run_figure figure = {NAN, 0};
  if (isnan(own) || sums->count < PARTS)
    return figure;
  figure.value = to_scale(ratio->aspect, own);
  uint32_t parts = markov_residuals(table, sums, sums->count / PARTS, ratio, own, values);
  for (uint32_t i = 0; i < parts; i++)
    squares += values[i] * values[i];
  if (parts > 1)
    figure.error = squares * parts / (parts - 1) * pow(slope(ratio->aspect, own) / sums->all[ratio->by], 2);
  return figure;
}

static bool read_runs(struct run_test *comparing, const struct markov_compared_run *runs, struct error *error)
{
  const struct markov_ratio_table *table = comparing->table;
  bool good = true;
  for (uint32_t i = 0; good && i < comparing->all; i++) {
    struct markov_sums sums;
    uint64_t length = runs[i].records / PARTS;
    good = markov_sums_read(table, &runs[i], length > 0 ? length : 1, &sums, error);
    for (uint32_t f = 0; good && f < table->count; f++)
      comparing->figures[(size_t)f * comparing->all + i] = run_test_figure_of(table, &sums, f);
    markov_sums_free(&sums);
  }
  return good;
}

struct group {
  uint32_t count; /* of runs that have the figure */
  double mean, squares, error;
};

static struct group group_of(const struct run_figure *figures, uint32_t count)
{
  struct group group = {0};
  for (uint32_t i = 0; i < count; i++) {
    if (isnan(figures[i].value))
      continue;
    double apart = figures[i].value - group.mean;
    group.mean += apart / ++group.count;
    group.squares += apart * (figures[i].value - group.mean);
    group.error += figures[i].error;
  }
  return group;
}

/* Converts a distance on the scale to a distance of figures, on the side where it is larger. */
static double run_test_distance(enum markov_aspect aspect, double figure, double apart)
{
  double value = to_scale(aspect, figure);
  return fmax(fabs(from_scale(aspect, value + apart) - figure), fabs(from_scale(aspect, value - apart) - figure));
}

/* p is of this figure alone. */
static void run_test_decide(struct run_test *comparing, uint32_t f)
{
  const struct run_figure *figures = &comparing->figures[(size_t)f * comparing->all];
  enum markov_aspect aspect = comparing->table->ratios[f].aspect;
  struct markov_contrast *contrast = &comparing->result->list[f];
  struct group groups[2] = {group_of(figures, comparing->counts[0]),
                            group_of(figures + comparing->counts[0], comparing->counts[1])};
  for (unsigned g = 0; g < 2; g++)
    contrast->figures[g] = groups[g].count > 0 ? from_scale(aspect, groups[g].mean) : NAN;
  uint32_t runs = groups[0].count + groups[1].count;
  if (groups[0].count == 0 || groups[1].count == 0 || runs < 3)
    return;
  double freedom = runs - 2., between = (groups[0].squares + groups[1].squares) / freedom;
  double variance =
      fmax(between, (groups[0].error + groups[1].error) / runs); /* runs that agree by luck prove nothing */
  double error = sqrt(variance * (1. / groups[0].count + 1. / groups[1].count));
  double apart = fabs(groups[0].mean - groups[1].mean);
  if (apart < 1e-12 * fmax(1, groups[0].mean))
    contrast->p = 1;
  else
    contrast->p = error > 0 ? markov_f_tail(pow(apart / error, 2), 1, freedom) : 0;
  double level = comparing->options->level / comparing->table->count; /* as of the first of Holm's steps */
  double seen = markov_student_quantile(1 - level, freedom) + markov_student_quantile(2 * MARKOV_POWER - 1, freedom);
  double figure = (contrast->figures[0] + contrast->figures[1]) / 2;
  contrast->smallest = isfinite(seen) ? run_test_distance(aspect, figure, seen * error) : INFINITY;
}

/* Holm's correction: the least p counts times the number of figures, the next one times one less, and none less than
 * one before it. */
static bool correct(struct markov_group_comparison *result)
{
  double *p = calloc((size_t)result->count + 1, sizeof *p);
  for (uint32_t f = 0; p && f < result->count; f++)
    p[f] = result->list[f].p;
  bool good = p && holm_correct(p, NULL, result->count);
  for (uint32_t f = 0; good && f < result->count; f++)
    result->list[f].p = p[f];
  free(p);
  return good;
}

bool markov_test_runs(const struct markov_ratio_table *table, const struct markov_compared_run *runs,
                      const uint32_t counts[2], const struct markov_compare_options *options,
                      struct markov_group_comparison *result, struct error *error)
{
  struct run_test comparing = {
      .table = table, .options = options, .result = result, .all = counts[0] + counts[1], .counts = counts};
  comparing.figures = calloc((size_t)table->count * comparing.all + 1, sizeof *comparing.figures);
  bool good = (comparing.figures || error_set(error, "out of memory")) && read_runs(&comparing, runs, error);
  for (uint32_t f = 0; good && f < table->count; f++)
    run_test_decide(&comparing, f);
  free(comparing.figures);
  return good && (correct(result) || error_set(error, "out of memory"));
}
