#include "analyzer/models/markov/independent.h"
#include "base/statistics.h"

#include <math.h>

enum { LAG = 8 };
#define INDEPENDENT 0.8 /* neighbours differ by this part of what distant blocks differ by, or more */

static double median_step(const double *values, uint32_t count, uint32_t lag, double *scratch)
{
  for (uint32_t i = 0; i + lag < count; i++)
    scratch[i] = fabs(values[i + lag] - values[i]);
  doubles_sort(scratch, count - lag);
  return scratch[(count - lag) / 2];
}

bool markov_look_independent(const double *values, uint32_t features, uint32_t count, double *scratch)
{
  double ratios = 0;
  uint32_t used = 0, lag = count >= 4 * LAG ? LAG : count / 4;
  for (uint32_t f = 0; f < features; f++) {
    const double *own = &values[(size_t)f * count];
    double distant = median_step(own, count, lag, scratch);
    if (distant > 0) {
      ratios += fmin(median_step(own, count, 1, scratch) / distant, 1 / INDEPENDENT);
      used++;
    }
  }
  return ratios >= INDEPENDENT * used;
}
