#include "analyzer/models/markov/contrast.h"

#include "analyzer/models/markov/statistics.h"

#include <math.h>
#include <stdlib.h>

enum {
  PARTS = MARKOV_RUN_LEAST
}; /* of a run at least, for what its figures vary by chance; fewer than twice as many */

struct run_figure {
  double value; /* on a scale where figures of runs vary evenly; NAN: the run lacks it, or is too short */
  double error; /* variance of the value, by the parts of the run */
};

struct contrast_runs_comparing {
  const struct markov_tally *tally;
  const struct markov_same_options *options;
  struct markov_sameness *result;
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

static struct run_figure contrast_runs_figure_of(const struct markov_tally *tally, const struct markov_sums *sums,
                                                 uint32_t f)
{
  const struct markov_ratio *ratio = &tally->ratios[f];
  double own = markov_ratio_of(ratio, sums->all), values[2 * PARTS], squares = 0;
  struct run_figure figure = {NAN, 0};
  if (isnan(own) || sums->count < PARTS)
    return figure;
  figure.value = to_scale(ratio->aspect, own);
  uint32_t parts = markov_residuals(tally, sums, sums->count / PARTS, ratio, own, values);
  for (uint32_t i = 0; i < parts; i++)
    squares += values[i] * values[i];
  if (parts > 1)
    figure.error = squares * parts / (parts - 1) * pow(slope(ratio->aspect, own) / sums->all[ratio->by], 2);
  return figure;
}

static bool read_runs(struct contrast_runs_comparing *comparing, const struct markov_tallied *runs, struct error *error)
{
  const struct markov_tally *tally = comparing->tally;
  bool good = true;
  for (uint32_t i = 0; good && i < comparing->all; i++) {
    struct markov_sums sums;
    uint64_t length = runs[i].records / PARTS;
    good = markov_tally_read(tally, &runs[i], length > 0 ? length : 1, &sums, error);
    for (uint32_t f = 0; good && f < tally->count; f++)
      comparing->figures[(size_t)f * comparing->all + i] = contrast_runs_figure_of(tally, &sums, f);
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

/* How far from `figure` a value is that is so far on the scale, on the side where it is farther. */
static double contrast_runs_distance(enum markov_aspect aspect, double figure, double apart)
{
  double value = to_scale(aspect, figure);
  return fmax(fabs(from_scale(aspect, value + apart) - figure), fabs(from_scale(aspect, value - apart) - figure));
}

/* p is of this figure alone. */
static void contrast_runs_decide(struct contrast_runs_comparing *comparing, uint32_t f)
{
  const struct run_figure *figures = &comparing->figures[(size_t)f * comparing->all];
  enum markov_aspect aspect = comparing->tally->ratios[f].aspect;
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
  double level = comparing->options->level / comparing->tally->count; /* as of the first of Holm's steps */
  double seen = markov_student_quantile(1 - level, freedom) + markov_student_quantile(2 * MARKOV_POWER - 1, freedom);
  double figure = (contrast->figures[0] + contrast->figures[1]) / 2;
  contrast->smallest = isfinite(seen) ? contrast_runs_distance(aspect, figure, seen * error) : INFINITY;
}

static int compare_p(const void *left, const void *right)
{
  double a = (*(struct markov_contrast *const *)left)->p, b = (*(struct markov_contrast *const *)right)->p;
  return (a > b) - (a < b);
}

/* Holm's correction: the least p counts times the number of figures, the next one times one less, and none less than
 * one before it. */
static bool correct(struct markov_sameness *result)
{
  struct markov_contrast **tested = calloc((size_t)result->count + 1, sizeof *tested);
  uint32_t count = 0;
  for (uint32_t f = 0; tested && f < result->count; f++) {
    if (!isnan(result->list[f].p))
      tested[count++] = &result->list[f];
  }
  if (count > 0)
    qsort(tested, count, sizeof *tested, compare_p);
  double most = 0;
  for (uint32_t i = 0; i < count; i++)
    tested[i]->p = most = fmax(most, fmin(1, tested[i]->p * (count - i)));
  bool good = tested;
  free(tested);
  return good;
}

bool markov_contrast_runs(const struct markov_tally *tally, const struct markov_tallied *runs, const uint32_t counts[2],
                          const struct markov_same_options *options, struct markov_sameness *result,
                          struct error *error)
{
  struct contrast_runs_comparing comparing = {
      .tally = tally, .options = options, .result = result, .all = counts[0] + counts[1], .counts = counts};
  comparing.figures = calloc((size_t)tally->count * comparing.all + 1, sizeof *comparing.figures);
  bool good = (comparing.figures || error_set(error, "out of memory")) && read_runs(&comparing, runs, error);
  for (uint32_t f = 0; good && f < tally->count; f++)
    contrast_runs_decide(&comparing, f);
  free(comparing.figures);
  return good && (correct(result) || error_set(error, "out of memory"));
}
