#include "analyzer/findings/compare/compare.h"

#include "base/rank_test.h"

#include <math.h>
#include <stdlib.h>

enum { NEEDED_MOST = 9999 };

/* The values of a group. False: one is unknown. */
static bool compared_values(const struct comparison *comparison, const struct compared *compared, double *values)
{
  bool known = true;
  for (size_t i = 0; i < comparison->runs->list.count; i++) {
    values[i] = rows_value(&comparison->rows, compared->row, i, compared->figure);
    known &= !isnan(values[i]);
  }
  return known;
}

static bool is_constant(const double *values, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (values[i] != values[0])
      return false;
  return true;
}

static bool group_has(const struct comparison *comparison, size_t row, unsigned group)
{
  size_t begin = group ? comparison->counts[0] : 0;
  for (size_t i = begin; i < begin + comparison->counts[group]; i++)
    if (rows_of_run(&comparison->rows, row, i))
      return true;
  return false;
}

/* The mean share of the run in all runs: the groups play no part, so it may choose what is tested. */
static double share_of_run(const struct comparison *comparison, size_t row, enum run_figure figure,
                           const double *values)
{
  double sum = 0, of = 0;
  for (size_t i = 0; i < comparison->runs->list.count; i++) {
    sum += values[i];
    of += rows_whole(&comparison->rows, row, i, figure);
  }
  return of > 0 ? 100 * sum / of : 0;
}

/* If the time beside the rest is known, the time itself is only shown, because it has the same noise and more.
 * If processor time is known, the wall time of parts is only shown. It has all the noise of the machine, and lost time
 * is in the causes. The critical path is wall time, too. */
static bool is_beside(const struct comparison *comparison, const struct compared *compared)
{
  if (compared->figure == RUN_PATH)
    return true;
  if (compared->figure == RUN_TIME && !isnan(rows_latest(&comparison->rows, compared->row)->values[RUN_RELATIVE]))
    return true;
  bool processor_time = compared->row != 0 && compared->figure == RUN_WALL;
  for (size_t i = 0; i < comparison->runs->list.count; i++)
    processor_time &= comparison->runs->list.items[i].processor_time;
  return processor_time;
}

/* p of both directions in `p`, uncorrected: more, less. */
struct tested {
  double p[2], least;
};

static bool test_row(const struct comparison *comparison, struct compared *compared, double *values,
                     struct tested *tested)
{
  size_t old = comparison->counts[0], new = comparison->counts[1];
  bool time = run_figure_is_time(compared->figure);
  struct rank_test test;
  if (!rank_test(values, old, values + old, new, &test))
    return false;
  bool exact = old > 1 && new > 1 && is_constant(values, old) && is_constant(values + old, new);
  compared->shift = test.shift;
  compared->low = test.low;
  compared->high = test.high;
  compared->of_run = time ? share_of_run(comparison, compared->row, compared->figure, values) : NAN;
  compared->is_exact = !time && exact;
  bool sampled = rows_latest(&comparison->rows, compared->row)->kind == ROW_FUNCTION ||
                 rows_latest(&comparison->rows, compared->row)->kind == ROW_CAUSE; /* may be absent by chance */
  if (!sampled && !group_has(comparison, compared->row, 1))
    compared->outcome = COMPARE_GONE;
  else if (!sampled && !group_has(comparison, compared->row, 0))
    compared->outcome = COMPARE_NEW;
  else if (time && (compared->of_run < COMPARE_WORTH || is_beside(comparison, compared)))
    compared->outcome = COMPARE_NOT_TESTED;
  else if (compared->is_exact)
    compared->outcome = values[0] < values[old] ? COMPARE_MORE : values[0] > values[old] ? COMPARE_LESS : COMPARE_SAME;
  else
    *tested = (struct tested){{test.greater, test.less}, test.least};
  compared->medians[0] = doubles_median(values, old);
  compared->medians[1] = doubles_median(values + old, new);
  return true;
}

/* Adds a row's figure, if all runs have it. Without a test, `tested` has NAN. */
static bool add_compared(struct comparison *comparison, size_t row, enum run_figure figure, double *values,
                         struct tested *tested)
{
  struct compared compared = {.row = row, .figure = figure, .p = NAN};
  struct tested none = {{NAN, NAN}, NAN};
  tested[comparison->list.count] = none;
  if (!compared_values(comparison, &compared, values))
    return true;
  if (run_figure_is_time(figure) && is_constant(values, comparison->runs->list.count) && values[0] <= 0)
    return true;
  return test_row(comparison, &compared, values, &tested[comparison->list.count]) &&
         vector_push(&comparison->list, compared);
}

/* Tests share the level out by their part of the run, which does not depend on the groups. The run's have the same. */
static double weight_of(const struct compared *compared)
{
  return compared->row == 0 ? 1 : isnan(compared->of_run) ? COMPARE_WORTH : fmax(compared->of_run, COMPARE_WORTH);
}

/* The part of the level of its family that a test has at first. */
static double part_of_level(const struct comparison *comparison, const struct compared *compared)
{
  return weight_of(compared) / comparison->weights[compared->row != 0];
}

/* Corrects the tests of one family, of one direction. */
static bool correct_family(const struct comparison *comparison, struct tested *tested, bool of_run, unsigned direction)
{
  size_t count = comparison->list.count;
  double *p = calloc(count + 1, sizeof *p), *weights = calloc(count + 1, sizeof *weights);
  for (size_t i = 0; p && weights && i < count; i++) {
    weights[i] = weight_of(&comparison->list.items[i]);
    p[i] = (comparison->list.items[i].row == 0) == of_run ? tested[i].p[direction] : NAN;
  }
  bool good = p && weights && holm_correct(p, weights, count);
  for (size_t i = 0; good && i < count; i++)
    if (!isnan(p[i]))
      tested[i].p[direction] = fmin(1, 2 * p[i]); /* a family has half of the level */
  free(p);
  free(weights);
  return good;
}

static void decide_row(const struct comparison *comparison, struct compared *compared, const struct tested *tested)
{
  const struct compare_options *options = &comparison->options;
  if (isnan(tested->p[0]))
    return;
  bool time = run_figure_is_time(compared->figure);
  compared->p = fmin(tested->p[0], tested->p[1]);
  compared->outcome = tested->p[0] <= options->level                                             ? COMPARE_MORE
                      : tested->p[1] <= options->level                                           ? COMPARE_LESS
                      : 2 * tested->least / part_of_level(comparison, compared) > options->level ? COMPARE_TOO_FEW
                                                                                                 : COMPARE_SAME;
  compared->is_worse =
      time && compared->outcome == COMPARE_MORE && compare_percent(compared, compared->shift) >= options->worse;
}

/* A part that stays while the rest becomes faster is no slower part: the time itself must have changed likewise. */
static void confirm_relative(struct comparison *comparison)
{
  for (size_t i = 0; i < comparison->list.count; i++) {
    struct compared *relative = &comparison->list.items[i], *time = relative;
    while (relative->figure == RUN_RELATIVE && (time->row != relative->row || time->figure != RUN_TIME))
      time--; /* the time of a row comes before */
    double own = compare_percent(time, time->shift), beside = compare_percent(relative, relative->shift);
    if (time != relative && (relative->outcome == COMPARE_MORE || relative->outcome == COMPARE_LESS) &&
        own * beside < beside * beside / 2) {
      relative->outcome = COMPARE_SAME;
      relative->is_worse = false;
    }
  }
}

/* What the verdict rests on if nothing is worse: the processor time of the run. */
static const struct compared *compared_run(const struct comparison *comparison)
{
  for (size_t i = 0; i < comparison->list.count; i++)
    if (comparison->list.items[i].row == 0 && run_figure_is_time(comparison->list.items[i].figure))
      return &comparison->list.items[i];
  return NULL;
}

/* The runs of a group after which the interval of the run's time would exclude a change for the worse, about. */
static unsigned runs_for_noise(const struct comparison *comparison, const struct compared *run)
{
  double worse = comparison->options.worse * run->medians[0] / 100, half = run->high - run->shift;
  double distance = fmax(worse - run->shift, worse / 4);
  size_t fewer = comparison->counts[0] < comparison->counts[1] ? comparison->counts[0] : comparison->counts[1];
  double needed = distance > 0 ? ceil((double)fewer * pow(half / distance, 2)) : NEEDED_MOST;
  return (unsigned)fmin(NEEDED_MOST, fmax(needed, (double)fewer + 1));
}

static void decide(struct comparison *comparison)
{
  double half = comparison->options.level / 2;
  const struct compared *run = compared_run(comparison);
  unsigned least = rank_test_needed(half / (double)(comparison->tests[0] ? comparison->tests[0] : 1));
  double largest = 0; /* part of the level */
  for (size_t i = 0; i < comparison->list.count; i++)
    if (comparison->list.items[i].row != 0 && !isnan(comparison->list.items[i].p))
      largest = fmax(largest, part_of_level(comparison, &comparison->list.items[i]));
  comparison->rows_needed = rank_test_needed(half * (largest > 0 ? largest : 1));
  comparison->verdict = VERDICT_NO_WORSE;
  if (!run || run->outcome == COMPARE_TOO_FEW || isnan(run->high)) {
    comparison->verdict = VERDICT_TOO_FEW;
    comparison->needed = least;
  } else if (compare_percent(run, run->high) >= comparison->options.worse) {
    comparison->verdict = VERDICT_TOO_FEW;
    comparison->needed = runs_for_noise(comparison, run);
  }
  for (size_t i = 0; i < comparison->list.count; i++)
    if (comparison->list.items[i].is_worse)
      comparison->verdict = VERDICT_WORSE;
}

static double importance(const struct compared *compared)
{
  double percent = compare_percent(compared, compared->shift);
  bool changed = compared->outcome != COMPARE_SAME && compared->outcome != COMPARE_NOT_TESTED &&
                 compared->outcome != COMPARE_TOO_FEW;
  double size = isnan(compared->of_run) ? 0 : fabs(isfinite(percent) ? percent : 100) * compared->of_run;
  return compared->row == 0 ? 1e9 - compared->figure : (changed ? 1e6 : 0) + fmin(size, 1e5);
}

static int compare_importance(const void *a, const void *b)
{
  const struct compared *one = a, *other = b;
  double left = importance(one), right = importance(other);
  if (left != right)
    return left < right ? 1 : -1;
  if (one->row != other->row)
    return one->row < other->row ? -1 : 1;
  return (int)one->figure - (int)other->figure;
}

static bool test_all(struct comparison *comparison, double *values, struct tested *tested)
{
  for (size_t i = 0; i < comparison->rows.list.count; i++)
    for (unsigned figure = 0; figure < RUN_FIGURES; figure++)
      if (!add_compared(comparison, i, (enum run_figure)figure, values, tested))
        return false;
  for (size_t i = 0; i < comparison->list.count; i++) {
    if (tested[i].least >= 1)
      tested[i] = (struct tested){{NAN, NAN}, NAN}; /* all values are equal: no test */
    if (isnan(tested[i].p[0]))
      continue;
    comparison->tests[comparison->list.items[i].row != 0]++;
    comparison->weights[comparison->list.items[i].row != 0] += weight_of(&comparison->list.items[i]);
  }
  for (unsigned k = 0; k < 4; k++)
    if (!correct_family(comparison, tested, k & 1, k / 2))
      return false;
  for (size_t i = 0; i < comparison->list.count; i++)
    decide_row(comparison, &comparison->list.items[i], &tested[i]);
  confirm_relative(comparison);
  return true;
}

bool compare_runs(struct runs *runs, size_t old_count, const struct compare_options *options,
                  struct comparison *comparison)
{
  *comparison =
      (struct comparison){.options = *options, .runs = runs, .counts = {old_count, runs->list.count - old_count}};
  if (!rows_match(runs, &comparison->rows) || !rows_find_relative(&comparison->rows))
    return false;
  double *values = calloc(runs->list.count, sizeof *values);
  struct tested *tested = calloc(comparison->rows.list.count * RUN_FIGURES + 1, sizeof *tested);
  bool good = values && tested && test_all(comparison, values, tested);
  free(values);
  free(tested);
  if (good)
    decide(comparison);
  if (comparison->list.count > 0)
    qsort(comparison->list.items, comparison->list.count, sizeof(struct compared), compare_importance);
  return good;
}

void compare_free(struct comparison *comparison)
{
  rows_free(&comparison->rows);
  vector_free(&comparison->list);
}
