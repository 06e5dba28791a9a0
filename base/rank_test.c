#include "base/rank_test.h"

#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_TAIL   0.025             /* on either side of an interval of 95 % */
#define INTERVAL_NORMAL 1.959963984540054 /* ... of the normal distribution */

/* Ranks of pooled values, doubled so that ties have whole ones. */
struct ranks {
  uint32_t *doubled; /* in ascending order */
  size_t count;
  uint32_t total;
  double ties; /* sum of t^3 - t over groups of equal values */
};

static bool ranks_find(const double *sorted, size_t count, struct ranks *ranks)
{
  *ranks = (struct ranks){malloc((count + 1) * sizeof *ranks->doubled), count, 0, 0};
  for (size_t i = 0, end; ranks->doubled && i < count; i = end) {
    for (end = i + 1; end < count && sorted[end] <= sorted[i];)
      end++;
    double equal = (double)(end - i);
    ranks->ties += equal * equal * equal - equal;
    for (size_t k = i; k < end; k++)
      ranks->doubled[k] = (uint32_t)(i + 1 + end);
    ranks->total += (uint32_t)((end - i) * (i + 1 + end));
  }
  return ranks->doubled;
}

/*
 * The distribution of the sum of `size` doubled ranks, drawn without return. By sum, from 0 to the total, it has the
 * number of draws with this sum. NULL: out of memory.
 */
static double *rank_sums(const struct ranks *ranks, size_t size)
{
  size_t width = (size_t)ranks->total + 1;
  double *ways = calloc((size + 1) * width, sizeof *ways);
  if (!ways)
    return NULL;
  ways[0] = 1;
  for (size_t i = 0, reached = 0; i < ranks->count; i++) {
    uint32_t rank = ranks->doubled[i];
    size_t left = ranks->count - i - 1, least = size > left ? size - left : 1; /* fewer cannot become `size` */
    reached += rank;
    for (size_t k = i < size ? i + 1 : size; k >= least; k--) {
      double *into = &ways[k * width + rank];
      const double *from = &ways[(k - 1) * width];
      for (size_t sum = 0; sum + rank <= reached; sum++)
        into[sum] += from[sum];
    }
  }
  memmove(ways, &ways[size * width], width * sizeof *ways);
  return ways;
}

static double normal_tail(double x)
{
  return erfc(x / M_SQRT2) / 2;
}

static void test_approximately(const struct ranks *ranks, size_t first, size_t second, double sum,
                               struct rank_test *result)
{
  double n = (double)first, m = (double)second, all = n + m;
  double mean = m * (all + 1), most = m * (all + n + 1); /* of doubled ranks */
  double deviation = 2 * sqrt(n * m / 12 * (all + 1 - ranks->ties / (all * (all - 1))));
  bool differ = deviation > 0;
  result->greater = differ ? normal_tail((sum - 1 - mean) / deviation) : 1;
  result->less = differ ? normal_tail((mean - sum - 1) / deviation) : 1;
  result->least = differ ? normal_tail((most - mean) / deviation) : 1;
}

static bool test_exactly(const struct ranks *ranks, size_t second, uint32_t observed, struct rank_test *result)
{
  double *ways = rank_sums(ranks, second), all = 0, above = 0, below = 0;
  double lowest = 0, highest = 0;
  if (!ways)
    return false;
  for (uint32_t sum = 0; sum <= ranks->total; sum++) {
    all += ways[sum];
    above += sum >= observed ? ways[sum] : 0;
    below += sum <= observed ? ways[sum] : 0;
    lowest = lowest > 0 ? lowest : ways[sum];
    highest = ways[sum] > 0 ? ways[sum] : highest;
  }
  free(ways);
  result->greater = above / all;
  result->less = below / all;
  result->least = fmin(lowest, highest) / all;
  return true;
}

/* How many of the sorted differences lie outside the interval on either side; SIZE_MAX: out of memory. `count`: of all
 * differences. Without ties, because the shift of a continuous figure has none. */
static size_t outside_interval(size_t first, size_t second, size_t *outside)
{
  size_t count = first * second, all = first + second;
  *outside = 0;
  if (all > RANK_TEST_EXACT) {
    double half = INTERVAL_NORMAL * sqrt((double)count * (double)(all + 1) / 12);
    *outside = (size_t)fmax(0, (double)count / 2 - half);
    return count;
  }
  double *numbers = malloc(all * sizeof *numbers), *ways = NULL, sum = 0, of = 0;
  struct ranks ranks = {0};
  for (size_t i = 0; numbers && i < all; i++)
    numbers[i] = (double)i;
  if (numbers && ranks_find(numbers, all, &ranks))
    ways = rank_sums(&ranks, second);
  for (uint32_t i = 0; ways && i <= ranks.total; i++)
    of += ways[i];
  size_t least = second * (second + 1); /* the lowest sum of doubled ranks */
  while (ways && (sum += ways[least + 2 * *outside]) / of <= INTERVAL_TAIL)
    ++*outside;
  bool good = ways;
  free(numbers);
  free(ranks.doubled);
  free(ways);
  return good ? count : SIZE_MAX;
}

static bool find_shift(const double *first, size_t first_count, const double *second, size_t second_count,
                       struct rank_test *result)
{
  size_t outside, count = outside_interval(first_count, second_count, &outside);
  double *differences = count == SIZE_MAX ? NULL : malloc(count * sizeof *differences);
  if (!differences)
    return false;
  for (size_t i = 0; i < count; i++)
    differences[i] = second[i % second_count] - first[i / second_count];
  result->shift = doubles_median(differences, count);
  bool known = outside > 0 && 2 * outside <= count;
  result->low = known ? differences[outside - 1] : NAN;
  result->high = known ? differences[count - outside] : NAN;
  free(differences);
  return true;
}

bool rank_test(const double *first, size_t first_count, const double *second, size_t second_count,
               struct rank_test *result)
{
  size_t all = first_count + second_count;
  struct ranks ranks = {0};
  double *sorted = malloc(all * sizeof *sorted);
  bool good = sorted;
  if (good) {
    memcpy(sorted, first, first_count * sizeof *first);
    memcpy(sorted + first_count, second, second_count * sizeof *second);
    doubles_sort(sorted, all);
    good = ranks_find(sorted, all, &ranks);
  }
  uint32_t sum = 0;
  for (size_t i = 0; good && i < second_count; i++) {
    size_t at = 0;
    while (sorted[at] < second[i])
      at++;
    sum += ranks.doubled[at];
  }
  if (good && all > RANK_TEST_EXACT)
    test_approximately(&ranks, first_count, second_count, sum, result);
  else
    good = good && test_exactly(&ranks, second_count, sum, result);
  good = good && find_shift(first, first_count, second, second_count, result);
  free(sorted);
  free(ranks.doubled);
  return good;
}

unsigned rank_test_needed(double p)
{
  unsigned size = 1;
  double ways = 2; /* divisions of two groups of this size */
  while (1 / ways > p) {
    size++;
    ways *= (2. * size - 1) * 2 / size;
  }
  return size;
}

/* A test: its p for its weight, which orders the steps. */
struct holm_step {
  double scaled, weight;
  size_t at;
};

static int compare_steps(const void *a, const void *b)
{
  double left = ((const struct holm_step *)a)->scaled, right = ((const struct holm_step *)b)->scaled;
  return (left > right) - (left < right);
}

bool holm_correct(double *p, const double *weights, size_t count)
{
  struct holm_step *steps = calloc(count + 1, sizeof *steps);
  double most = 0, left = 0;
  size_t tests = 0;
  for (size_t i = 0; steps && i < count; i++) {
    double weight = weights ? weights[i] : 1;
    if (isnan(p[i]))
      continue;
    steps[tests++] = (struct holm_step){p[i] / weight, weight, i};
    left += weight;
  }
  if (tests > 0)
    qsort(steps, tests, sizeof *steps, compare_steps);
  for (size_t i = 0; i < tests; i++) {
    most = fmax(most, fmin(1, steps[i].scaled * left));
    p[steps[i].at] = most;
    left -= steps[i].weight;
  }
  bool good = steps;
  free(steps);
  return good;
}

double doubles_median(double *values, size_t count)
{
  doubles_sort(values, count);
  return count > 0 ? (values[(count - 1) / 2] + values[count / 2]) / 2 : NAN;
}
