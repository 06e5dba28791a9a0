/* Private to spectrum/. Strong lines of a periodogram: their significance, and the period among them. */
#ifndef HEDDLE_ANALYZER_MODELS_SPECTRUM_PERIODS_H
#define HEDDLE_ANALYZER_MODELS_SPECTRUM_PERIODS_H

#include "analyzer/models/spectrum/periodogram.h"
#include "analyzer/models/spectrum/samples.h"

#include <stddef.h>

/*
 * Returns p of Fisher's g test for white noise: the probability that the strongest of `lines` lines has at least `g` of
 * their power. Exact to 1e-8 below 0.999; above that at most 1e-5 too small. 0: below the range of a double.
 */
double significance_fisher(double g, size_t lines);

/*
 * Returns the probability that any of `lines` lines, power[1] to power[lines], exceeds the lines around it as much as
 * line k does. The background is the median of the lines from about k/2 to 2k, which a few strong lines or a slope
 * hardly change.
 */
double significance_local(const double *power, size_t lines, size_t k);

/*
 * Fills `strongest` and the verdict from power[] and the sums. The strongest lines become exact, also in power[].
 * False: out of memory.
 */
bool periods_find(struct spectrum *spectrum, const struct samples *samples, unsigned top);

#endif
