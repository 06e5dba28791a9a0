#include "analyzer/findings/compare/changes.h"

#include "base/rank_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The series of one figure; runs that lack it are no part of it. */
struct series {
  size_t row;
  enum run_figure figure;
  double *values;
  size_t *of_run; /* by value: its run */
  size_t count;
  double of_run_percent;
};

static bool series_read(const struct changes *changes, size_t row, enum run_figure figure, struct series *series)
{
  double sum = 0, of = 0;
  bool relative = !isnan(rows_latest(&changes->rows, row)->values[RUN_RELATIVE]);
  bool varies = false, beside = figure == RUN_PATH || (row != 0 && figure == RUN_WALL);
  series->row = row;
  series->figure = figure;
  series->count = 0;
  for (size_t i = 0; i < changes->runs->list.count; i++) {
    double value = rows_value(&changes->rows, row, i, figure);
    if (isnan(value))
      continue;
    sum += value;
    of += rows_whole(&changes->rows, row, i, figure);
    beside &= changes->runs->list.items[i].processor_time;
    varies |= series->count > 0 && value != series->values[0];
    series->of_run[series->count] = i;
    series->values[series->count++] = value;
  }
  series->of_run_percent = !run_figure_is_time(figure) ? NAN : of > 0 ? 100 * sum / of : 0;
  return varies && !beside && !(relative && figure == RUN_TIME) && series->count >= 2 * CHANGE_RUNS &&
         !(series->of_run_percent < COMPARE_WORTH);
}

/* The cut of values [begin, end) with the smallest p of both directions. False: out of memory. */
static bool best_cut(const struct series *series, size_t begin, size_t end, size_t *cut, double *p)
{
  *p = 1;
  *cut = 0;
  for (size_t at = begin + CHANGE_RUNS; at + CHANGE_RUNS <= end; at++) {
    struct rank_test test;
    if (!rank_test(series->values + begin, at - begin, series->values + at, end - at, &test))
      return false;
    double here = 2 * fmin(test.greater, test.less);
    if (here < *p) {
      *p = here;
      *cut = at;
    }
  }
  return true;
}

static bool change_add(struct changes *changes, const struct series *series, const size_t bounds[3], double p)
{
  struct rank_test test;
  struct change change = {.run = series->of_run[bounds[1]]};
  size_t old = bounds[1] - bounds[0], new = bounds[2] - bounds[1];
  double *values = malloc((old + new) * sizeof *values);
  bool good = values && rank_test(series->values + bounds[0], old, series->values + bounds[1], new, &test);
  if (good) {
    memcpy(values, series->values + bounds[0], (old + new) * sizeof *values);
    bool time = run_figure_is_time(series->figure);
    struct compared *compared = &change.compared;
    *compared = (struct compared){.row = series->row, .figure = series->figure, .p = p, .shift = test.shift};
    compared->outcome = test.shift >= 0 ? COMPARE_MORE : COMPARE_LESS;
    compared->low = test.low;
    compared->high = test.high;
    compared->of_run = series->of_run_percent;
    compared->medians[0] = doubles_median(values, old);
    compared->medians[1] = doubles_median(values + old, new);
    compared->is_worse =
        time && compared->outcome == COMPARE_MORE && compare_percent(compared, test.shift) >= changes->options.worse;
    good = vector_push(&changes->list, change);
  }
  free(values);
  return good;
}

/* Searches values [begin, end). The depth is bounded by the number of runs. */
static bool series_cut(struct changes *changes, const struct series *series, size_t begin, size_t end)
{
  size_t cut;
  double p;
  if (end - begin < 2 * CHANGE_RUNS)
    return true;
  if (!best_cut(series, begin, end, &cut, &p))
    return false;
  p = fmin(1, p * (double)(end - begin - 2 * CHANGE_RUNS + 1) * (double)changes->tests);
  if (cut == 0 || p > changes->options.level)
    return true;
  return series_cut(changes, series, begin, cut) && change_add(changes, series, (size_t[]){begin, cut, end}, p) &&
         series_cut(changes, series, cut, end);
}

/* The changes of one figure are in the order of the series; the last one decides. */
static void mark_last(struct changes *changes, size_t first)
{
  if (changes->list.count > first)
    changes->list.items[changes->list.count - 1].is_last = true;
  if (changes->list.count > first && changes->list.items[changes->list.count - 1].compared.is_worse)
    changes->verdict = VERDICT_WORSE;
}

static int compare_changes(const void *a, const void *b)
{
  const struct change *one = a, *other = b;
  if (one->run != other->run)
    return one->run < other->run ? -1 : 1;
  double left = fabs(one->compared.shift), right = fabs(other->compared.shift);
  bool times = run_figure_is_time(one->compared.figure) && run_figure_is_time(other->compared.figure);
  if (times && left != right)
    return left < right ? 1 : -1;
  return one->compared.figure != other->compared.figure ? (int)one->compared.figure - (int)other->compared.figure
                                                        : (one->compared.row > other->compared.row) * 2 - 1;
}

/* The number of runs from which on a cut in the middle may be significant. */
static unsigned runs_needed(const struct changes *changes)
{
  unsigned runs = 2 * CHANGE_RUNS;
  double tests = 2 * (double)(changes->tests ? changes->tests : 1);
  while (runs / 2 < rank_test_needed(changes->options.level / tests / (double)(runs - 2 * CHANGE_RUNS + 1)))
    runs += 2;
  return runs;
}

static bool search_all(struct changes *changes, struct series *series, bool only_count)
{
  for (size_t i = 0; i < changes->rows.list.count; i++)
    for (unsigned figure = 0; figure < RUN_FIGURES; figure++) {
      size_t first = changes->list.count;
      if (!series_read(changes, i, (enum run_figure)figure, series))
        continue;
      changes->tests += only_count;
      if (!only_count && !series_cut(changes, series, 0, series->count))
        return false;
      mark_last(changes, first);
    }
  return true;
}

bool changes_find(struct runs *runs, const struct compare_options *options, struct changes *changes)
{
  *changes = (struct changes){.options = *options, .runs = runs, .verdict = VERDICT_NO_WORSE};
  if (!rows_match(runs, &changes->rows) || !rows_find_relative(&changes->rows))
    return false;
  struct series series = {.values = calloc(runs->list.count + 1, sizeof *series.values),
                          .of_run = calloc(runs->list.count + 1, sizeof *series.of_run)};
  bool good = series.values && series.of_run && search_all(changes, &series, true);
  if (good) {
    changes->needed = runs_needed(changes);
    good = search_all(changes, &series, false);
  }
  if (changes->verdict == VERDICT_NO_WORSE && runs->list.count < changes->needed)
    changes->verdict = VERDICT_TOO_FEW;
  if (changes->list.count > 0)
    qsort(changes->list.items, changes->list.count, sizeof(struct change), compare_changes);
  free(series.values);
  free(series.of_run);
  return good;
}

void changes_free(struct changes *changes)
{
  rows_free(&changes->rows);
  vector_free(&changes->list);
}
