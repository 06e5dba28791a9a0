#include "analyzer/models/markov/power.h"

#include "analyzer/models/markov/statistics.h"

#include <math.h>
#include <stdbool.h>

#define HALVINGS 100
#define POWER_NORMAL_OF_POWER                                                                                          \
  1.2815515655446004 /* a normal variable exceeds minus this with probability MARKOV_POWER */

/* Where a function that rises with x reaches `value`, or one that falls does. */
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
