/* Stands in for analyzer/models/spectrum/fourier.c, which takes more time than all the rest and looks at nothing but
 * numbers.
 */
#include "analyzer/models/spectrum/fourier.h"

static double power_of(const struct samples *samples, double mean, uint64_t k)
{
  double sample = samples_at(samples, k % samples->count) - mean;
  return sample * sample;
}

void fourier_lines(const struct samples *samples, double mean, uint64_t k, unsigned count, double *power)
{
  for (unsigned i = 0; i < count; i++)
    power[i] = power_of(samples, mean, k + i);
}

bool fourier_all(const struct samples *samples, double mean, double scale, double *power)
{
  (void)scale;
  for (uint64_t k = 1; k <= samples->count / 2; k++)
    power[k] = power_of(samples, mean, k);
  return true;
}
