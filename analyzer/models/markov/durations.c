#include "analyzer/models/markov/durations.h"

#include "analyzer/models/markov/statistics.h"

#include <math.h>
#include <stdlib.h>

enum { FEW = 160 }; /* transitions, such that sixteen classes would have less than ten each */

/* Thresholds that split the visits as evenly as equal durations allow. */
static bool find_quartiles(const struct markov_distribution *occupancy, uint64_t *quartiles)
{
  size_t count, at = 0;
  uint64_t below = 0;
  struct markov_cell *cells = markov_distribution_cells(occupancy, &count);
  for (unsigned i = 1; cells && i < MARKOV_CLASSES; i++) {
    while (at + 1 < count && (below + cells[at].count) * MARKOV_CLASSES < i * occupancy->count)
      below += cells[at++].count;
    quartiles[i - 1] = cells[at].high;
  }
  bool good = cells || occupancy->count == 0;
  free(cells);
  return good;
}

bool markov_durations_begin(struct markov_durations *durations, const struct markov_model *run)
{
  *durations = (struct markov_durations){.run = run};
  durations->quartiles = calloc((size_t)run->count * (MARKOV_CLASSES - 1) + 1, sizeof *durations->quartiles);
  durations->pairs = calloc(run->edge_count * MARKOV_CLASS_PAIRS + 1, sizeof *durations->pairs);
  bool good = durations->quartiles && durations->pairs;
  for (uint32_t i = 0; good && i < run->count; i++)
    good = find_quartiles(&run->list[i].occupancy, &durations->quartiles[(size_t)i * (MARKOV_CLASSES - 1)]);
  return good;
}

void markov_durations_free(struct markov_durations *durations)
{
  free(durations->quartiles);
  free(durations->pairs);
  *durations = (struct markov_durations){0};
}

static struct markov_table_cell *make_cells(const struct markov_durations *durations)
{
  return calloc(durations->run->edge_count * MARKOV_CLASS_PAIRS + 1, sizeof(struct markov_table_cell));
}

/* Class in a table of this number of transitions: halves instead of quarters if quarters would be too few. */
static uint32_t class_among(uint32_t class, uint64_t count)
{
  return count < FEW ? class / 2 : class;
}

bool markov_durations_consecutive(const struct markov_durations *durations, struct markov_independence *result)
{
  const struct markov_model *run = durations->run;
  struct markov_table_cell *cells = make_cells(durations);
  size_t used = 0;
  for (size_t i = 0; cells && i < run->edge_count * MARKOV_CLASS_PAIRS; i++) {
    size_t edge = i / MARKOV_CLASS_PAIRS, pair = i % MARKOV_CLASS_PAIRS;
    uint64_t count = run->edges[edge].count;
    if (durations->pairs[i] > 0)
      cells[used++] = (struct markov_table_cell){.table = (uint32_t)edge,
                                                 .row = class_among((uint32_t)pair / MARKOV_CLASSES, count),
                                                 .column = class_among((uint32_t)pair % MARKOV_CLASSES, count),
                                                 .count = durations->pairs[i]};
  }
  bool good = cells && markov_independence_test(cells, used, MARKOV_CLASSES, result);
  free(cells);
  return good;
}

static uint64_t sum_class(const uint64_t *pairs, uint32_t class)
{
  uint64_t sum = 0;
  for (uint32_t after = 0; after < MARKOV_CLASSES; after++)
    sum += pairs[class * MARKOV_CLASSES + after];
  return sum;
}

bool markov_durations_next(const struct markov_durations *durations, struct markov_independence *result)
{
  const struct markov_model *run = durations->run;
  struct markov_table_cell *cells = make_cells(durations);
  size_t used = 0;
  for (uint32_t state = 0; cells && state < run->count; state++) {
    const struct markov_state *own = &run->list[state];
    for (uint32_t k = 0; k < own->edge_count; k++) {
      const uint64_t *pairs = &durations->pairs[(size_t)(&own->edges[k] - run->edges) * MARKOV_CLASS_PAIRS];
      for (uint32_t class = 0; class < MARKOV_CLASSES; class ++) {
        uint64_t count = sum_class(pairs, class);
        if (count > 0)
          cells[used++] = (struct markov_table_cell){state, class_among(class, own->left), own->edges[k].to, count};
      }
    }
  }
  bool good = cells && markov_independence_test(cells, used, run->count, result);
  free(cells);
  return good;
}

enum { FIRST_PART = 8, NEXT_PART = 4, EXCESSES_MOST = 100000, VALUES_LEAST = 8 };
#define TAIL_NORMAL_OF_POWER                                                                                           \
  1.2815515655446004 /* a normal variable exceeds minus this with probability MARKOV_POWER                             \
                      */
#define STEP 0.01

static uint64_t most_excesses(uint64_t visits)
{
  return visits / FIRST_PART < EXCESSES_MOST ? visits / FIRST_PART : EXCESSES_MOST;
}

/* Finds the longest visits in descending order. Visits of one cell are spread evenly over it. */
static void find_longest(const struct markov_cell *cells, size_t count, double *values, size_t most, size_t *distinct)
{
  size_t used = 0;
  for (*distinct = 0; count-- > 0 && used < most; ++*distinct) {
    double width = (double)(cells[count].high - cells[count].low) + 1;
    double each = width / (double)cells[count].count;
    for (uint64_t i = 0; i < cells[count].count && used < most; i++)
      values[used++] = (double)cells[count].low + width - each * ((double)i + .5);
  }
}

/*
 * Gnedenko's test: the spacings of exponential excesses, the i-th from above times i, are exponential, too. Under a
 * heavy tail the upper half has the larger ones. The p is exact.
 */
static double test_excesses(const double *values, size_t above)
{
  size_t upper = above / 2;
  double sums[2] = {0, 0};
  for (size_t i = 0; i < above; i++)
    sums[i >= upper] += (double)(i + 1) * (values[i] - values[i + 1]);
  double ratio = (sums[0] / (double)upper) / (sums[1] / (double)(above - upper));
  return sums[1] > 0 ? markov_f_tail(ratio, 2 * (double)upper, 2 * (double)(above - upper)) : sums[0] > 0 ? 0 : 1;
}

static void estimate_index(const double *values, size_t above, struct markov_tail *tail)
{
  double sum = 0, threshold = fmax(values[above], .5);
  for (size_t i = 0; i < above; i++)
    sum += log(fmax(values[i], threshold) / threshold);
  tail->threshold = threshold;
  tail->above = above;
  tail->index = (double)above / sum;
  tail->low = markov_chi_square_quantile(.975, 2 * (double)above) / (2 * sum);
  tail->high = markov_chi_square_quantile(.025, 2 * (double)above) / (2 * sum);
}

bool markov_tail_test(const struct markov_distribution *occupancy, struct markov_tail *tail)
{
  size_t count, distinct = 0;
  uint64_t above = most_excesses(occupancy->count);
  *tail = (struct markov_tail){.p = 0};
  if (above < MARKOV_TAIL_LEAST || occupancy->total == 0)
    return true;
  struct markov_cell *cells = markov_distribution_cells(occupancy, &count);
  double *values = malloc((above + 1) * sizeof *values);
  bool good = cells && values;
  if (good) {
    tail->is_tested = true;
    tail->longest = (double)occupancy->max / (double)occupancy->total;
    find_longest(cells, count, values, above + 1, &distinct);
    if (distinct < VALUES_LEAST) { /* so few values have no tail */
      tail->p = 1;
      tail->index = INFINITY;
      above = 0;
    }
    /* A mixture of short and long visits looks heavy at one threshold, a heavy tail at each. */
    for (; above >= MARKOV_TAIL_LEAST; above /= NEXT_PART) {
      tail->p = fmax(tail->p, test_excesses(values, above));
      estimate_index(values, above, tail);
    }
  }
  free(cells);
  free(values);
  return good;
}

/* The logarithm of Gnedenko's ratio under a power law has this mean and deviation; i-th spacing: (i / above)^-index. */
static void expect(double index, uint64_t above, double *mean, double *deviation)
{
  double sums[2] = {0, 0}, squares[2] = {0, 0};
  for (uint64_t i = 0; i < above; i++) {
    double spacing = pow(((double)i + 1) / ((double)above + 1), -index);
    sums[i >= above / 2] += spacing;
    squares[i >= above / 2] += spacing * spacing;
  }
  *mean = log(sums[0] / sums[1]);
  *deviation = sqrt(squares[0] / (sums[0] * sums[0]) + squares[1] / (sums[1] * sums[1]));
}

double markov_tail_smallest(double level, uint64_t visits)
{
  uint64_t above = most_excesses(visits);
  while (above / NEXT_PART >= MARKOV_TAIL_LEAST) /* the highest threshold has the fewest visits above it */
    above /= NEXT_PART;
  if (above < MARKOV_TAIL_LEAST)
    return INFINITY;
  double low = 1, high = 1e6, half = (double)(above / 2), rest = (double)(above - above / 2);
  for (int i = 0; i < 60; i++) { /* the ratio that is refused */
    double middle = sqrt(low * high);
    if (markov_f_tail(middle, 2 * half, 2 * rest) > level)
      low = middle;
    else
      high = middle;
  }
  for (double index = STEP; index < 1; index += STEP) {
    double mean, deviation;
    expect(index, above, &mean, &deviation);
    if (mean - TAIL_NORMAL_OF_POWER * deviation >= log(high))
      return index;
  }
  return INFINITY;
}
