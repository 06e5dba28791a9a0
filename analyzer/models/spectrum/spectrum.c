#include "analyzer/models/spectrum/spectrum.h"

#include "analyzer/models/spectrum/fourier.h"
#include "analyzer/models/spectrum/periods.h"
#include "base/count_of.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool spectrum_parse_signal(const char *text, struct spectrum_signal *signal)
{
  static const struct {
    const char *prefix;
    enum spectrum_kind kind;
  } kinds[] = {{"state=", SPECTRUM_STATE}, {"component=", SPECTRUM_COMPONENT}, {"threads-in=", SPECTRUM_THREADS_IN}};
  *signal = (struct spectrum_signal){SPECTRUM_STATES, NULL};
  if (strcmp(text, "states") == 0)
    return true;
  for (size_t i = 0; i < COUNT_OF(kinds); i++) {
    size_t length = strlen(kinds[i].prefix);
    if (strncmp(text, kinds[i].prefix, length) != 0 || text[length] == '\0')
      continue;
    *signal = (struct spectrum_signal){kinds[i].kind, text + length};
    return true;
  }
  return false;
}

/* The mean, the sums of squares, and the greatest distance from the mean: 0 only if the signal never changes. */
static double sum_up(struct spectrum *spectrum, const struct samples *samples)
{
  long double sum = 0, squares = 0, varying = 0;
  double low = samples_at(samples, 0), high = low;
  for (uint64_t j = 0; j < samples->count; j++) {
    double g = samples_at(samples, j);
    sum += g;
    squares += (long double)g * g;
    low = fmin(low, g);
    high = fmax(high, g);
  }
  spectrum->mean = low == high ? low : (double)(sum / samples->count);
  for (uint64_t j = 0; j < samples->count; j++) {
    long double g = samples_at(samples, j) - (long double)spectrum->mean;
    varying += g * g;
  }
  spectrum->squares = (double)squares;
  spectrum->varying = (double)varying;
  return low == high ? 0 : fmax(high - spectrum->mean, spectrum->mean - low);
}

/* All powers, and the check that they add up to the squares. */
static bool transform(struct spectrum *spectrum, const struct samples *samples, struct error *error)
{
  long double powers = 0;
  double scale = sum_up(spectrum, samples), tolerance = spectrum->exact ? 1e-9 : 1e-4;
  spectrum->power = calloc(spectrum->lines + 1, sizeof *spectrum->power);
  if (!spectrum->power)
    return error_set(error, "out of memory");
  spectrum->power[0] = (double)samples->count * spectrum->mean * spectrum->mean;
  for (size_t k = 1; k <= spectrum->lines && scale > 0 && spectrum->exact; k += FOURIER_LINES) {
    size_t left = spectrum->lines - k + 1;
    fourier_lines(samples, spectrum->mean, k, left < FOURIER_LINES ? (unsigned)left : FOURIER_LINES,
                  &spectrum->power[k]);
  }
  if (scale > 0 && !spectrum->exact && !fourier_all(samples, spectrum->mean, scale, spectrum->power))
    return error_set(error, "out of memory");
  for (size_t k = 1; k <= spectrum->lines; k++)
    powers += spectrum->power[k];
  if (!(fabs((double)powers - spectrum->varying) <= tolerance * spectrum->varying))
    return error_set(error, "the powers add up to %.17g, but the sum of squares is %.17g", (double)powers,
                     spectrum->varying);
  spectrum->powers = spectrum->power[0] + (double)powers;
  return true;
}

struct spectrum *spectrum_compute(struct pes_stream *stream, const struct spectrum_options *options,
                                  struct error *error)
{
  struct samples samples;
  struct spectrum *spectrum = calloc(1, sizeof *spectrum);
  bool good = samples_take(&samples, stream, options, error);
  if (good && !spectrum)
    good = error_set(error, "out of memory");
  if (good) {
    spectrum->samples = samples.count;
    spectrum->lines = samples.count / 2;
    spectrum->exact = samples.count <= SPECTRUM_EXACT_MAX;
    spectrum->delta = samples.delta;
    spectrum->records = samples.records;
    spectrum->not_sampled = samples.not_sampled;
    good = transform(spectrum, &samples, error) &&
           (periods_find(spectrum, &samples, options->top) || error_set(error, "out of memory"));
  }
  samples_free(&samples);
  if (good)
    return spectrum;
  spectrum_free(spectrum);
  return NULL;
}

void spectrum_free(struct spectrum *spectrum)
{
  if (spectrum) {
    free(spectrum->power);
    free(spectrum->strongest);
  }
  free(spectrum);
}

double spectrum_frequency(const struct spectrum *spectrum, double k)
{
  return k / ((double)spectrum->samples * spectrum->delta);
}

void spectrum_bins(const struct spectrum *spectrum, size_t count, double *power)
{
  uint64_t n = spectrum->samples;
  for (size_t i = 0; i < count; i++)
    power[i] = 0;
  /* Line k is in bin i if i < 2 k count / N <= i + 1. */
  for (uint64_t k = 1; k <= spectrum->lines; k++)
    power[(2 * k * count + n - 1) / n - 1] += spectrum->power[k];
}
