#include "analyzer/models/markov/statistics.h"

#include <math.h>
#include <stdlib.h>

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
