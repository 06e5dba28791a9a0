#include "analyzer/models/spectrum/fourier.h"

#include <kiss_fft.h>
#include <kiss_fftr.h>
#include <math.h>

/* Angles are added up within a block; each block begins at an exact angle. */
enum { BLOCK = 512 };

/* A number of each line: the compiler makes the sums of several lines at once. */
typedef double of_lines __attribute__((vector_size(FOURIER_LINES * sizeof(double))));

/* The angle of a sample in each line, from line k on. */
static void turn_to(uint64_t sample, uint64_t k, uint64_t n, of_lines *cosine, of_lines *sine)
{
  for (unsigned i = 0; i < FOURIER_LINES; i++) {
    double angle = 2 * M_PI * (double)(sample * (k + i) % n) / (double)n;
    (*cosine)[i] = cos(angle);
    (*sine)[i] = sin(angle);
  }
}

/* N/2 (a^2 + b^2) with a and b 2/N times the sums; at N/2 there is no b, and a is 1/N times the sum. */
static double power_of(long double cosines, long double sines, uint64_t k, uint64_t n)
{
  if (2 * k == n)
    return (double)(cosines * cosines) / (double)n;
  return 2 * (double)(cosines * cosines + sines * sines) / (double)n;
}

void fourier_lines(const struct samples *samples, double mean, uint64_t k, unsigned count, double *power)
{
  uint64_t n = samples->count;
  of_lines step_cos, step_sin;
  long double cosines[FOURIER_LINES] = {0}, sines[FOURIER_LINES] = {0};
  turn_to(1, k, n, &step_cos, &step_sin);
  for (uint64_t begin = 0; begin < n; begin += BLOCK) {
    of_lines c, s, block_cosines = {0}, block_sines = {0};
    uint64_t end = begin + BLOCK < n ? begin + BLOCK : n;
    turn_to(begin, k, n, &c, &s);
    for (uint64_t j = begin; j < end; j++) {
      double g = samples_at(samples, j) - mean;
      of_lines turned = c * step_cos - s * step_sin;
      block_cosines += g * c;
      block_sines += g * s;
      s = s * step_cos + c * step_sin;
      c = turned;
    }
    for (unsigned i = 0; i < FOURIER_LINES; i++) {
      cosines[i] += block_cosines[i];
      sines[i] += block_sines[i];
    }
  }
  for (unsigned i = 0; i < count; i++)
    power[i] = power_of(cosines[i], sines[i], k + i, n);
}

static void put_powers(const struct samples *samples, double scale, const kiss_fft_cpx *lines, double *power)
{
  uint64_t n = samples->count;
  for (uint64_t k = 1; k <= n / 2; k++) {
    double real = scale * (double)lines[k].r, imaginary = scale * (double)lines[k].i;
    power[k] = (2 * k == n ? 1 : 2) * (real * real + imaginary * imaginary) / (double)n;
  }
}

static bool all_even(const struct samples *samples, double mean, double scale, double *power)
{
  uint64_t n = samples->count;
  kiss_fftr_cfg plan = kiss_fftr_alloc((int)n, 0, NULL, NULL);
  float *in = malloc(n * sizeof *in);
  kiss_fft_cpx *out = malloc((n / 2 + 1) * sizeof *out);
  bool good = plan && in && out;
  for (uint64_t j = 0; good && j < n; j++)
    in[j] = (float)((samples_at(samples, j) - mean) / scale);
  if (good) {
    kiss_fftr(plan, in, out);
    put_powers(samples, scale, out, power);
  }
  free(in);
  free(out);
  kiss_fftr_free(plan);
  return good;
}

/* The library transforms real numbers only in even counts. */
static bool all_odd(const struct samples *samples, double mean, double scale, double *power)
{
  uint64_t n = samples->count;
  kiss_fft_cfg plan = kiss_fft_alloc((int)n, 0, NULL, NULL);
  kiss_fft_cpx *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
  bool good = plan && in && out;
  for (uint64_t j = 0; good && j < n; j++)
    in[j] = (kiss_fft_cpx){(float)((samples_at(samples, j) - mean) / scale), 0};
  if (good) {
    kiss_fft(plan, in, out);
    put_powers(samples, scale, out, power);
  }
  free(in);
  free(out);
  kiss_fft_free(plan);
  return good;
}

bool fourier_all(const struct samples *samples, double mean, double scale, double *power)
{
  return (samples->count % 2 == 0 ? all_even : all_odd)(samples, mean, scale, power);
}
