#include "analyzer/models/spectrum/significance.h"

#include "base/statistics.h"

#include <math.h>

/*
 * p = sum over j from 1 to 1/g of (-1)^(j-1) C(m,j) (1 - j g)^(m-1). The first term, t, is also the expected number of
 * lines as strong. Powers of different lines are negatively associated, so p >= 1 - exp(-t): where t is large, the sum
 * would lose its digits, and this is as good. Terms come from logarithms that are small where it matters.
 */
double significance_fisher(double g, size_t lines)
{
  enum { CERTAIN = 12 };
  double m = (double)lines, log_choose = log(m), sum = 0;
  if (lines < 2 || g <= 1 / m)
    return 1;
  if (g >= 1)
    return 0;
  double expected = exp(log_choose + (m - 1) * log1p(-g));
  if (expected > CERTAIN)
    return 1;
  for (double j = 1; j <= m && j * g < 1; j++) {
    double term = exp(log_choose + (m - 1) * log1p(-j * g));
    sum += fmod(j, 2) == 1 ? term : -term;
    if (term < 1e-18 * sum)
      break;
    log_choose += log((m - j) / (j + 1));
  }
  return fmin(1, fmax(0, sum));
}

enum { AROUND_MAX = 501, ENOUGH = 8, AROUND_LEAST = 3 };

/* Evenly spread lines from low to high, without k and its neighbours, which share the power of a frequency between
 * lines.
 */
static size_t collect(const double *power, size_t low, size_t high, size_t k, double *around)
{
  size_t stride = high > low ? (high - low) / AROUND_MAX + 1 : 1, count = 0;
  for (size_t i = low; i <= high; i += stride) {
    if (i + 1 < k || i > k + 1)
      around[count++] = power[i];
  }
  return count;
}

static double median(double *list, size_t count)
{
  doubles_sort(list, count);
  return count % 2 ? list[count / 2] : (list[count / 2 - 1] + list[count / 2]) / 2;
}

/* The estimated power of line k if it were noise; *n: a mean of n lines would be as certain (0: no estimate). */
static double background(const double *power, size_t lines, size_t k, double *n)
{
  double below[AROUND_MAX], above[AROUND_MAX], both[2 * AROUND_MAX];
  size_t low = k / 2 > 1 ? k / 2 : 1, high = k + 2 * k / 3 < lines ? k + 2 * k / 3 : lines;
  size_t b = collect(power, low, k, k, below), a = collect(power, k, high, k, above);
  if (b >= ENOUGH && a >= ENOUGH) {
    *n = 4 * M_LN2 * M_LN2 / (1. / (double)b + 1. / (double)a);
    return sqrt(median(below, b) * median(above, a)) / M_LN2;
  }
  if (high < lines)
    high = high + ENOUGH < lines ? high + ENOUGH : lines;
  size_t count = collect(power, low, high, k, both);
  *n = count < AROUND_LEAST ? 0 : (double)count * M_LN2 * M_LN2;
  return count < AROUND_LEAST ? 0 : median(both, count) / M_LN2;
}

/*
 * In noise whose spectrum is smooth, powers are exponential around it, and their median is ln 2 times its value. The
 * medians of the lines below and above k lie at 3/4 and 4/3 of it, so that their geometric mean is right on any slope
 * of the form f^a. A median of n is as uncertain as the mean of 0.48 n, so the ratio of a line to the estimate has
 * about the F distribution with 2 and twice as many degrees of freedom. All lines could have been the one, so the
 * probability is multiplied with their number (Bonferroni).
 */
double significance_local(const double *power, size_t lines, size_t k)
{
  double n;
  if (k < 1 || k > lines)
    return 1;
  double level = background(power, lines, k, &n);
  if (n == 0)
    return 1;
  if (level <= 0)
    return power[k] > 0 ? 0 : 1;
  return fmin(1, exp(log((double)lines) - n * log1p(power[k] / level / n)));
}
