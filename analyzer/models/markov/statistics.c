#include "analyzer/models/markov/statistics.h"

#include "base/hash.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint64_t rotate(uint64_t value, int bits)
{
  return value << bits | value >> (64 - bits);
}

void markov_random_seed(struct markov_random *random, uint64_t seed)
{
  for (int i = 0; i < 4; i++)
    random->word[i] = hash_draw(&seed);
}

uint64_t markov_random_next(struct markov_random *random)
{
  uint64_t *word = random->word;
  uint64_t result = rotate(word[1] * 5, 7) * 9, moved = word[1] << 17;
  word[2] ^= word[0];
  word[3] ^= word[1];
  word[1] ^= word[2];
  word[0] ^= word[3];
  word[2] ^= moved;
  word[3] = rotate(word[3], 45);
  return result;
}

uint64_t markov_random_below(struct markov_random *random, uint64_t limit)
{
  uint64_t uneven =
      -limit % limit; /* 2^64 mod limit: numbers below are rejected, so that all remainders are equally likely */
  uint64_t drawn;
  do
    drawn = markov_random_next(random);
  while (drawn < uneven);
  return drawn % limit;
}

#define EPSILON 1e-15
#define TINY    1e-300
enum { TERMS_MAX = 100000 };

/* Upper incomplete gamma function, regularized: by the series of the lower one, or by the continued fraction. */
static double gamma_upper(double a, double x)
{
  double front = exp(-x + a * log(x) - lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int n = 1; n < TERMS_MAX && term > sum * EPSILON; n++)
      sum += term *= x / (a + n);
    return 1 - front * sum;
  }
  double b = x + 1 - a, c = 1 / TINY, d = 1 / b, fraction = d;
  for (int n = 1; n < TERMS_MAX; n++) {
    double numerator = -n * (n - a);
    b += 2;
    d = numerator * d + b;
    d = 1 / (fabs(d) < TINY ? TINY : d);
    c = b + numerator / c;
    c = fabs(c) < TINY ? TINY : c;
    fraction *= c * d;
    if (fabs(c * d - 1) < EPSILON)
      break;
  }
  return front * fraction;
}

double markov_chi_square_tail(double x, double freedom)
{
  return x <= 0 ? 1 : gamma_upper(freedom / 2, x / 2);
}

/* The continued fraction of the incomplete beta function (Lentz's method). */
static double beta_fraction(double a, double b, double x)
{
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < TINY ? TINY : d);
  double fraction = d;
  for (int m = 1; m < TERMS_MAX; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (int i = 0; i < 2; i++) {
      double numerator = i == 0 ? even : odd;
      d = 1 + numerator * d;
      d = 1 / (fabs(d) < TINY ? TINY : d);
      c = 1 + numerator / c;
      c = fabs(c) < TINY ? TINY : c;
      fraction *= c * d;
    }
    if (fabs(c * d - 1) < EPSILON)
      break;
  }
  return fraction;
}

static double beta_regularized(double a, double b, double x)
{
  if (x <= 0 || x >= 1)
    return x > 0;
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1) / (a + b + 2))
    return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double markov_f_tail(double x, double above, double below)
{
  return x <= 0 ? 1 : beta_regularized(below / 2, above / 2, below / (below + above * x));
}

double markov_student_quantile(double level, double freedom)
{
  double low = 0, high = 1;
  for (int doublings = 0; doublings < 1000; doublings++) {
    double outside = beta_regularized(freedom / 2, 0.5, freedom / (freedom + high * high));
    if (outside <= 1 - level)
      break;
    high *= 2;
  }
  for (int halvings = 0; halvings < 100; halvings++) {
    double t = (low + high) / 2;
    double outside = beta_regularized(freedom / 2, 0.5, freedom / (freedom + t * t));
    if (outside > 1 - level)
      low = t;
    else
      high = t;
  }
  return (low + high) / 2;
}

double markov_ks_tail(double d, double n, double m)
{
  double root = sqrt(n * m / (n + m));
  double x = (root + 0.12 + 0.11 / root) * d; /* Stephens' correction for small samples */
  if (x < 0.3)                                /* the sum needs ever more terms, and it is 1 to ten digits */
    return 1;
  double sum = 0;
  for (int k = 1; k <= 100; k++) {
    double term = exp(-2.0 * k * k * x * x);
    sum += k % 2 == 1 ? term : -term;
    if (term < EPSILON)
      break;
  }
  double tail = 2 * sum;
  return tail > 1 ? 1 : tail < 0 ? 0 : tail;
}

static bool copy_as_buckets(struct markov_distribution *copy, const struct markov_distribution *of, bool exact)
{
  markov_distribution_begin(copy);
  copy->exact = exact;
  return markov_distribution_merge(copy, of);
}

static double statistics_walk(const struct markov_cell *left, size_t left_count, double n,
                              const struct markov_cell *right, size_t right_count, double m)
{
  double below_left = 0, below_right = 0, most = 0;
  for (size_t i = 0, j = 0; i < left_count || j < right_count;) {
    bool has_both = i < left_count && j < right_count;
    bool take_left = j == right_count || (has_both && left[i].high <= right[j].high);
    bool take_right = i == left_count || (has_both && right[j].high <= left[i].high);
    below_left += take_left ? (double)left[i++].count : 0;
    below_right += take_right ? (double)right[j++].count : 0;
    most = fmax(most, fabs(below_left / n - below_right / m));
  }
  return most;
}

bool markov_ks_distance(const struct markov_distribution *left, const struct markov_distribution *right, double *d)
{
  struct markov_distribution a, b;
  size_t a_count = 0, b_count = 0;
  bool exact = left->exact && right->exact;
  bool good = copy_as_buckets(&a, left, exact);
  good = copy_as_buckets(&b, right, exact) && good;
  /* Ends of buckets are compared, so no bucket may be trimmed to the one sample's extremes. */
  a.min = b.min = 0;
  a.max = b.max = UINT64_MAX;
  struct markov_cell *a_cells = markov_distribution_cells(&a, &a_count);
  struct markov_cell *b_cells = markov_distribution_cells(&b, &b_count);
  good = good && a_cells && b_cells;
  if (good)
    *d = statistics_walk(a_cells, a_count, (double)left->count, b_cells, b_count, (double)right->count);
  free(a_cells);
  free(b_cells);
  markov_distribution_free(&a);
  markov_distribution_free(&b);
  return good;
}

static int compare_pairs(const void *one, const void *other)
{
  const struct markov_cell_pair *a = one, *b = other;
  double left = a->left + a->right, right = b->left + b->right;
  return (left < right) - (left > right);
}

void markov_homogeneity_add(struct markov_homogeneity *sums, struct markov_cell_pair *cells, size_t count)
{
  double left = 0, right = 0;
  for (size_t i = 0; i < count; i++) {
    left += cells[i].left;
    right += cells[i].right;
  }
  sums->all += right;
  if (left == 0 || right == 0)
    return;
  qsort(cells, count, sizeof *cells, compare_pairs);
  double all = left + right, smaller = fmin(left, right) / all, rest = all;
  double chi_square = 0, columns = 0;
  struct markov_cell_pair pool = {0, 0};
  for (size_t i = 0; i < count; i++) {
    pool.left += cells[i].left;
    pool.right += cells[i].right;
    double both = pool.left + pool.right;
    rest -= cells[i].left + cells[i].right;
    if (i + 1 < count && (both * smaller < 5 || rest * smaller < 5))
      continue; /* the pool is too small, or what is behind would be */
    double expected_left = both * left / all, expected_right = both * right / all;
    chi_square += (pool.left - expected_left) * (pool.left - expected_left) / expected_left +
                  (pool.right - expected_right) * (pool.right - expected_right) / expected_right;
    columns++;
    pool = (struct markov_cell_pair){0, 0};
  }
  if (columns < 2 && count > 1)
    return;
  sums->tested += right;
  sums->spread += right * right * (1 / left + 1 / right);
  sums->chi_square += chi_square;
  sums->freedom += columns - 1;
}

#define HALVINGS 100
#define POWER_NORMAL_OF_POWER                                                                                          \
  1.2815515655446004 /* a normal variable exceeds minus this with probability MARKOV_POWER */

/* Returns the x at which a monotonic function reaches `value`. */
static double power_solve(double (*function)(double x, const double *given), const double *given, double value,
                          double high)
{
  double low = 0;
  bool rises = function(0, given) < value;
  while ((function(high, given) < value) == rises && high < 1e300)
    high *= 2;
  for (int i = 0; i < HALVINGS && high - low > 1e-12 * high; i++) {
    double middle = (low + high) / 2;
    if ((function(middle, given) < value) == rises)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

static double tail_at(double x, const double *freedom)
{
  return markov_chi_square_tail(x, *freedom);
}

double markov_chi_square_quantile(double p, double freedom)
{
  return power_solve(tail_at, &freedom, p, freedom + 1);
}

/* A mixture of chi-square variables whose freedom is 2 j more, where j is Poisson's. */
double markov_noncentral_tail(double x, double freedom, double noncentrality)
{
  double mean = noncentrality / 2, tail = markov_chi_square_tail(x, freedom), sum = 0, seen = 0;
  double weight = -mean, step = x > 0 ? freedom / 2 * log(x / 2) - x / 2 - lgamma(freedom / 2 + 1) : -INFINITY;
  double terms = mean + 12 * sqrt(mean) + 40;
  for (int j = 0; j < terms; j++) {
    double part = exp(weight);
    sum += part * fmin(tail, 1);
    seen += part;
    tail += exp(step); /* from the freedom f to f + 2 */
    step += x > 0 ? log(x / 2) - log(freedom / 2 + j + 1) : 0;
    weight += log(mean) - log(j + 1);
  }
  return fmin(1, sum + fmax(0, 1 - seen));
}

static double power_at(double noncentrality, const double *given)
{
  return markov_noncentral_tail(given[0], given[1], noncentrality);
}

double markov_noncentrality(double level, double freedom)
{
  double given[] = {markov_chi_square_quantile(level, freedom), freedom};
  return power_solve(power_at, given, MARKOV_POWER, sqrt(2 * freedom) + 10);
}

double markov_smallest_difference(double level, double freedom, double count)
{
  if (count <= 0)
    return INFINITY;
  if (freedom <= 0)
    return 1 - pow(1 - MARKOV_POWER, 1 / count);
  return sqrt(markov_noncentrality(level, freedom) / count) / 2;
}

static double kolmogorov_at(double d, const double *sizes)
{
  return markov_ks_tail(d, sizes[0], sizes[1]);
}

double markov_smallest_distance(double level, double n, double m)
{
  double sizes[] = {n, m};
  return power_solve(kolmogorov_at, sizes, level, 1) + POWER_NORMAL_OF_POWER / 2 * sqrt(1 / n + 1 / m);
}

/*
 * Rows are possible causes, columns possible effects. If both are independent, the expected value of a cell is row *
 * column / all (Anderson and Goodman 1957 and Billingsley 1961 for Markov chains). Degrees of freedom are
 * (rows - 1) (columns - 1).
 */

#define INDEPENDENCE_COVERAGE 0.5 /* a test says something if it covers this part of what could depend */
enum { CELL_MIN = 5 };

/* One table. The last row and column are the pools of rows and columns with few observations; they may be empty. */
struct independence_table {
  const struct markov_table_cell *cells; /* by row, then by column */
  size_t cell_count;
  double *columns; /* totals; all zeros between tables */
  uint32_t *column_of, *members;
  uint32_t member_count;
  double total;
};

static double row_total(const struct independence_table *table, size_t begin, size_t *end)
{
  double total = 0;
  for (*end = begin; *end < table->cell_count && table->cells[*end].row == table->cells[begin].row; ++*end)
    total += (double)table->cells[*end].count;
  return total;
}

static void sum_columns(struct independence_table *table)
{
  for (size_t i = 0; i < table->cell_count; i++) {
    uint32_t column = table->cells[i].column;
    if (table->columns[column] == 0)
      table->members[table->member_count++] = column;
    table->columns[column] += (double)table->cells[i].count;
    table->total += (double)table->cells[i].count;
  }
}

/* Rows with less than this are pooled: the two most frequent columns must be testable in each that is not. */
static double least_row(const struct independence_table *table)
{
  double most = 0, second = 0;
  for (uint32_t i = 0; i < table->member_count; i++) {
    double total = table->columns[table->members[i]];
    second = fmax(second, fmin(total, most));
    most = fmax(most, total);
  }
  return second > 0 ? CELL_MIN * table->total / second : INFINITY;
}

/* Numbers the columns from 1; 0 is the pool. Returns how many columns there are with it. */
static uint32_t number_columns(struct independence_table *table, double smallest_row)
{
  double pooled = 0, least = INFINITY;
  uint32_t count = 1, rarest = 0;
  for (uint32_t i = 0; i < table->member_count; i++) {
    uint32_t to = table->members[i];
    double total = table->columns[to];
    bool own = total * smallest_row / table->total >= CELL_MIN;
    table->column_of[to] = own ? count++ : 0;
    pooled += own ? 0 : total;
    if (own && total < least) {
      least = total;
      rarest = to;
    }
  }
  if (pooled * smallest_row / table->total < CELL_MIN && count > 1) { /* the pool takes the rarest column, too */
    uint32_t gone = table->column_of[rarest];
    for (uint32_t i = 0; i < table->member_count; i++) {
      if (table->column_of[table->members[i]] == count - 1)
        table->column_of[table->members[i]] = gone;
    }
    table->column_of[rarest] = 0;
    count--;
  }
  return count;
}

/* Adds a row's share to the statistic. */
static void add_row(const double *row, const double *expected, uint32_t columns, double total, double all,
                    struct markov_independence *result, double *distance)
{
  double apart = 0;
  for (uint32_t c = 0; c < columns; c++) {
    double should = expected[c] * total / all;
    result->g += row[c] > 0 && should > 0 ? 2 * row[c] * log(row[c] / should) : 0;
    result->chi_square += should > 0 ? (row[c] - should) * (row[c] - should) / should : 0;
    apart += fabs(row[c] - should);
  }
  *distance += apart / 2;
}

static void test_table(struct independence_table *table, double *row, double *pool, double *expected,
                       struct markov_independence *result, double *distance)
{
  double least = least_row(table), pooled = 0, smallest = INFINITY;
  uint32_t rows = 0;
  size_t end;
  for (size_t i = 0; i < table->cell_count; i = end) {
    double total = row_total(table, i, &end);
    if (total < least)
      pooled += total;
    else {
      smallest = fmin(smallest, total);
      rows++;
    }
  }
  bool has_pool = pooled >= least; /* else the rows in it are omitted */
  smallest = has_pool ? fmin(smallest, pooled) : smallest;
  rows += has_pool;
  uint32_t columns = rows < 2 ? 0 : number_columns(table, smallest);
  if (columns < 2)
    return;
  memset(pool, 0, columns * sizeof *pool);
  memset(expected, 0, columns * sizeof *expected);
  double all = table->total - (has_pool ? 0 : pooled);
  for (size_t i = 0; i < table->cell_count; i = end) {
    bool in_pool = row_total(table, i, &end) < least;
    for (size_t k = i; k < end; k++) {
      uint32_t column = table->column_of[table->cells[k].column];
      if (in_pool)
        pool[column] += (double)table->cells[k].count;
      if (!in_pool || has_pool)
        expected[column] += (double)table->cells[k].count;
    }
  }
  for (size_t i = 0; i < table->cell_count; i = end) {
    double total = row_total(table, i, &end);
    if (total < least)
      continue;
    memset(row, 0, columns * sizeof *row);
    for (size_t k = i; k < end; k++)
      row[table->column_of[table->cells[k].column]] += (double)table->cells[k].count;
    add_row(row, expected, columns, total, all, result, distance);
  }
  if (has_pool)
    add_row(pool, expected, columns, pooled, all, result, distance);
  uint32_t filled = 0; /* the pool of columns may be empty in what is left */
  for (uint32_t c = 0; c < columns; c++)
    filled += expected[c] > 0;
  result->freedom += (double)(rows - 1) * (filled - 1);
  result->tested += all;
}

/* All tables, one after another. */
static void test_all(const struct markov_table_cell *cells, size_t count, struct independence_table *table,
                     double *scratch, size_t columns, struct markov_independence *result)
{
  double distance = 0;
  for (size_t begin = 0, end; begin < count; begin = end) {
    for (end = begin; end < count && cells[end].table == cells[begin].table; end++)
      ;
    table->cells = &cells[begin];
    table->cell_count = end - begin;
    table->member_count = 0;
    table->total = 0;
    sum_columns(table);
    result->all += table->total;
    bool several_rows = cells[begin].row != cells[end - 1].row;
    if (several_rows && table->member_count > 1) {
      result->open += table->total;
      test_table(table, scratch, scratch + columns, scratch + 2 * columns, result, &distance);
    }
    for (uint32_t i = 0; i < table->member_count; i++)
      table->columns[table->members[i]] = 0;
  }
  result->difference = result->tested > 0 ? distance / result->tested : 0;
}

static int independence_compare_cells(const void *left, const void *right)
{
  const struct markov_table_cell *a = left, *b = right;
  int order = (a->table > b->table) - (a->table < b->table);
  order = order != 0 ? order : (a->row > b->row) - (a->row < b->row);
  return order != 0 ? order : (a->column > b->column) - (a->column < b->column);
}

bool markov_independence_test(struct markov_table_cell *cells, size_t count, uint32_t columns,
                              struct markov_independence *result)
{
  size_t n = (size_t)columns + 1;
  struct independence_table table = {.columns = calloc(n, sizeof(double)),
                                     .column_of = calloc(n, sizeof(uint32_t)),
                                     .members = calloc(n, sizeof(uint32_t))};
  double *scratch = calloc(3 * n, sizeof *scratch);
  bool good = table.columns && table.column_of && table.members && scratch;
  *result = (struct markov_independence){0};
  if (good && count > 0) {
    qsort(cells, count, sizeof *cells, independence_compare_cells);
    test_all(cells, count, &table, scratch, n, result);
  }
  free(table.columns);
  free(table.column_of);
  free(table.members);
  free(scratch);
  return good;
}

bool markov_independence_is_tested(const struct markov_independence *result)
{
  return result->all > 0 &&
         (result->open == 0 || (result->tested >= INDEPENDENCE_COVERAGE * result->open && result->freedom > 0));
}

double markov_independence_p(const struct markov_independence *result)
{
  if (result->freedom <= 0)
    return 1;
  return fmax(markov_chi_square_tail(result->chi_square, result->freedom),
              markov_chi_square_tail(result->g, result->freedom));
}

double markov_independence_difference(const struct markov_independence *result)
{
  double beyond = result->chi_square - result->freedom;
  return beyond > 0 ? result->difference * sqrt(beyond / result->chi_square) : 0;
}
