/* Private to spectrum/: the probability that a line is so strong by chance. */
#ifndef HEDDLE_ANALYZER_MODELS_SPECTRUM_PERIODS_H
#define HEDDLE_ANALYZER_MODELS_SPECTRUM_PERIODS_H

#include "analyzer/models/spectrum/periodogram.h"
#include "analyzer/models/spectrum/samples.h"

#include <stddef.h>

/*
 * Fisher's g test: the probability that the strongest of `lines` lines has at least the part `g` of their power in
 * white noise. Exact to 1e-8 below 0.999; above that at most 1e-5 too small. 0: below the range of a double.
 */
double significance_fisher(double g, size_t lines);

/*
 * The probability that any of `lines` lines, power[1] to power[lines], stands out from those around it as much as line
 * k does. The background is the median of the lines from about k/2 to 2k: a few strong lines or a slope change it
 * little.
 */
double significance_local(const double *power, size_t lines, size_t k);

/* Private to spectrum/: the strongest lines, and the period among them. */

/*
 * Fills `strongest` and the verdict from power[] and the sums. The strongest lines become exact, also in power[].
 * False: no memory.
 */
bool periods_find(struct spectrum *spectrum, const struct samples *samples, unsigned top);

#endif
