/* The speed of each run, and times without it. */
#include "analyzer/findings/compare/rows.h"

#include <math.h>
#include <stdlib.h>

#define PART_MOST   0.34 /* of the parts' time: a part with more would decide the speed alone */
#define PARTS_WORTH 0.25 /* of the time: parts with less together say too little of the speed */

/* A part of the run: its ratio to the mean of all runs, as logarithm, and its weight. */
struct part {
  double ratio, weight;
};

static bool has_relative(const struct run_row *row)
{
  return row->kind == ROW_CONSTRUCT || row->kind == ROW_TASK;
}

/* The mean of the logarithms of a row's times; NAN: a run has none. */
static double mean_logarithm(const struct matched_rows *rows, size_t row)
{
  double sum = 0;
  for (size_t i = 0; i < rows->runs->list.count; i++) {
    double time = rows_value(rows, row, i, RUN_TIME);
    sum += time > 0 ? log(time) : NAN;
  }
  return sum / (double)rows->runs->list.count;
}

static int compare_parts(const void *a, const void *b)
{
  double left = ((const struct part *)a)->ratio, right = ((const struct part *)b)->ratio;
  return (left > right) - (left < right);
}

/* The weighted median of the ratios. Sorts the parts. */
static double median_ratio(struct part *parts, size_t count)
{
  double all = 0, below = 0;
  qsort(parts, count, sizeof *parts, compare_parts);
  for (size_t i = 0; i < count; i++)
    all += parts[i].weight;
  size_t at = 0;
  while (at + 1 < count && below + parts[at].weight < all / 2)
    below += parts[at++].weight;
  return parts[at].ratio;
}

static double speed_of(const struct matched_rows *rows, const double *means, size_t run, struct part *parts)
{
  size_t count = 0;
  for (size_t i = 0; i < rows->list.count; i++)
    if (!isnan(means[i]))
      parts[count++] = (struct part){log(rows_value(rows, i, run, RUN_TIME)) - means[i], exp(means[i])};
  return exp(median_ratio(parts, count));
}

static double time_of_parts(const double *means, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += isnan(means[i]) ? 0 : exp(means[i]);
  return sum;
}

/* Takes out parts that are too large, the largest first; then all if the others are too small. At least three stay. */
static void choose_parts(double *means, size_t count)
{
  double all = time_of_parts(means, count), left = all;
  for (size_t largest = 0; left > 0;) {
    for (size_t i = 0; i < count; i++)
      if (isnan(means[largest]) || means[i] > means[largest])
        largest = i;
    if (exp(means[largest]) <= PART_MOST * left)
      break;
    means[largest] = NAN;
    left = time_of_parts(means, count);
  }
  for (size_t i = 0; i < count && left < PARTS_WORTH * all; i++)
    means[i] = NAN;
}

bool rows_find_relative(struct matched_rows *rows)
{
  size_t count = rows->list.count;
  double *means = calloc(count + 1, sizeof *means);
  struct part *parts = calloc(count + 1, sizeof *parts);
  bool good = means && parts;
  for (size_t i = 0; good && i < count; i++)
    means[i] = has_relative(rows_latest(rows, i)) ? mean_logarithm(rows, i) : NAN;
  if (good)
    choose_parts(means, count);
  for (size_t run = 0; good && time_of_parts(means, count) > 0 && run < rows->runs->list.count; run++) {
    double speed = speed_of(rows, means, run, parts);
    for (size_t i = 0; i < count; i++) {
      struct run_row *row =
          isnan(means[i]) ? NULL : &rows->runs->list.items[run].rows.items[rows->list.items[i].of_run[run]];
      if (row)
        row->values[RUN_RELATIVE] = row->values[RUN_TIME] / speed;
    }
  }
  free(means);
  free(parts);
  return good;
}
