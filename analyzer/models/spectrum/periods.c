#include "analyzer/models/spectrum/periods.h"

#include "analyzer/models/spectrum/fourier.h"
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>

/*
 * p = sum over j from 1 to 1/g of (-1)^(j-1) C(m,j) (1 - j g)^(m-1). The first term, t, is also the expected number of
 * lines as strong. Powers of different lines are negatively associated, so p >= 1 - exp(-t). If t is large, the sum
 * would lose its digits, and this bound is as good. Terms come from logarithms that are small where it matters.
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
 * lines. */
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
 * medians of the lines below and above k lie at 3/4 and 4/3 of it. Their geometric mean is therefore right on any slope
 * of the form f^a. A median of n is as uncertain as the mean of 0.48 n. The ratio of a line to the estimate therefore
 * has about the F distribution, with 2 and twice as many degrees of freedom. All lines could have been the one, so the
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

enum {
  LOOKED_AT = SPECTRUM_TOP_MAX + 28, /* so many of the strongest lines can be a period, independent of `top` */
  REPEATS = 4,                       /* a period repeats at least so often; less may be a slow change */
  HARMONICS = 10
};
static const double unlikely = 0.01;
static const double audible = 1e-3; /* a base has at least this part of its harmonic's power; less may be rounding */

static int stronger_first(const void *left, const void *right)
{
  const struct spectrum_line *a = left, *b = right;
  if (a->power != b->power)
    return a->power < b->power ? 1 : -1;
  return (a->k > b->k) - (a->k < b->k);
}

/* Keeps the strongest lines in order; after the first ones, few lines enter the list. */
static size_t select_strongest(const struct spectrum *spectrum, struct spectrum_line *list)
{
  size_t count = 0;
  for (size_t k = 1; k <= spectrum->lines; k++) {
    if (count == LOOKED_AT && spectrum->power[k] <= list[count - 1].power)
      continue;
    size_t at = count < LOOKED_AT ? count++ : count - 1;
    for (; at > 0 && list[at - 1].power < spectrum->power[k]; at--)
      list[at] = list[at - 1];
    list[at] = (struct spectrum_line){.k = k, .power = spectrum->power[k]};
  }
  return count;
}

/*
 * The strongest line against white noise. Line N/2 has one degree of freedom, not two, and is less likely to be strong
 * than other lines. So p is an upper bound if line N/2 counts like the others.
 */
static double against_white(const struct spectrum *spectrum)
{
  bool has_last = spectrum->lines > spectrum->tested;
  double last = has_last ? spectrum->power[spectrum->lines] : 0;
  if (has_last && spectrum->strongest[0].k == spectrum->lines) {
    double part = fmin(1, last / spectrum->varying);
    return fmin(1, exp(log((double)spectrum->lines) + (double)spectrum->tested * log1p(-part)));
  }
  return significance_fisher(spectrum->strongest[0].power / (spectrum->varying - last), spectrum->tested);
}

/* The h for which `k` is the h-th multiple of `base`, within the resolution of lines. 0: none. */
static unsigned multiple_of(size_t base, size_t k)
{
  size_t h = (k + base / 2) / base;
  double off = fabs((double)k - (double)(h * base));
  if (h < 1 || h > HARMONICS || off > (double)(h + 1) / 2 || (off > 0 && 2 * (h + 1) > base))
    return 0;
  return h == 1 && k != base ? 0 : (unsigned)h;
}

static bool is_peak(const struct spectrum *spectrum, size_t k)
{
  return (k == 1 || spectrum->power[k] >= spectrum->power[k - 1]) &&
         (k == spectrum->lines || spectrum->power[k] >= spectrum->power[k + 1]);
}

static bool may_be_period(const struct spectrum *spectrum, const struct spectrum_line *line)
{
  return line->k >= REPEATS && line->p <= unlikely && is_peak(spectrum, line->k);
}

/* The base is the strongest line that stands out, or the lowest such line that divides the strongest line. */
static void find_base(struct spectrum *spectrum)
{
  const struct spectrum_line *found = NULL;
  for (size_t i = 0; i < spectrum->strongest_count; i++) {
    const struct spectrum_line *line = &spectrum->strongest[i];
    if (!may_be_period(spectrum, line))
      continue;
    if (!found)
      found = line;
    else if (line->k >= spectrum->base || line->power < audible * found->power || multiple_of(line->k, found->k) < 2)
      continue;
    spectrum->base = line->k;
    spectrum->p_base = line->p;
  }
  for (size_t i = 0; found && i < spectrum->strongest_count; i++)
    spectrum->strongest[i].harmonic = multiple_of(spectrum->base, spectrum->strongest[i].k);
}

bool periods_find(struct spectrum *spectrum, const struct samples *samples, unsigned top)
{
  struct spectrum_line *list = calloc(LOOKED_AT, sizeof *list);
  if (!list)
    return false;
  spectrum->strongest = list;
  spectrum->tested = (spectrum->samples - 1) / 2;
  spectrum->p_white = 1;
  spectrum->strongest_count = select_strongest(spectrum, list);
  for (size_t i = 0; i < spectrum->strongest_count; i++) {
    if (spectrum->exact)
      continue;
    fourier_lines(samples, spectrum->mean, list[i].k, 1, &list[i].power);
    spectrum->power[list[i].k] = list[i].power;
  }
  qsort(list, spectrum->strongest_count, sizeof *list, stronger_first);
  if (spectrum->varying > 0) {
    for (size_t i = 0; i < spectrum->strongest_count; i++)
      list[i].p = significance_local(spectrum->power, spectrum->lines, list[i].k);
    spectrum->p_white = against_white(spectrum);
    if (spectrum->p_white <= unlikely)
      find_base(spectrum);
    spectrum->verdict = spectrum->p_white > unlikely ? SPECTRUM_NOISE
                        : spectrum->base             ? SPECTRUM_PERIOD
                                                     : SPECTRUM_SLOW;
  }
  if (spectrum->strongest_count > top)
    spectrum->strongest_count = top;
  return true;
}
