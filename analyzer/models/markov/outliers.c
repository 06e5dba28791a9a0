#include "analyzer/models/markov/outliers.h"

#include "analyzer/models/markov/statistics.h"

#include <math.h>
#include <stdbool.h>

/* A deviation below this part of the values is rounding. */
#define ROUNDING 1e-12

static bool among(const uint32_t *which, uint32_t found, uint32_t value)
{
  for (uint32_t i = 0; i < found; i++)
    if (which[i] == value)
      return true;
  return false;
}

/* The value furthest from the mean of those that are left, and its distance in standard deviations. */
static double most_extreme(const double *values, uint32_t count, const uint32_t *which, uint32_t found, uint32_t *most)
{
  double mean = 0, squares = 0, distance = -1;
  uint32_t left = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (among(which, found, i))
      continue;
    double delta = values[i] - mean;
    mean += delta / ++left;
    squares += delta * (values[i] - mean);
  }
  for (uint32_t i = 0; i < count; i++) {
    if (!among(which, found, i) && fabs(values[i] - mean) > distance) {
      distance = fabs(values[i] - mean);
      *most = i;
    }
  }
  double deviation = sqrt(squares / (left - 1));
  return deviation > ROUNDING * fabs(mean) ? distance / deviation : 0;
}

/* What the distance of the most extreme of `left` values exceeds with this probability. */
static double critical(uint32_t left, double level)
{
  double t = markov_student_quantile(1 - level / left, left - 2);
  return (left - 1) * t / sqrt((left - 2 + t * t) * left);
}

uint32_t markov_outliers(const double *values, uint32_t count, double level, uint32_t which[MARKOV_OUTLIERS_MOST])
{
  uint32_t most = count / 5 < MARKOV_OUTLIERS_MOST ? count / 5 : MARKOV_OUTLIERS_MOST, outside = 0;
  for (uint32_t i = 0; i < most; i++) {
    double distance = most_extreme(values, count, which, i, &which[i]);
    if (distance > critical(count - i, level))
      outside = i + 1;
  }
  return outside;
}
