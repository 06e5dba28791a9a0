/* Private to spectrum/: could a line be that strong by chance? */
#ifndef HEDDLE_ANALYZER_SPECTRUM_SIGNIFICANCE_H
#define HEDDLE_ANALYZER_SPECTRUM_SIGNIFICANCE_H

#include <stddef.h>

/*
 * Fisher's g test: the probability that in white noise the strongest of `lines` has at least the part `g` of their
 * power. Good to 1e-8 below 0.999, else never too small by more than 1e-5. 0 where it is below what a double holds.
 */
double significance_fisher(double g, size_t lines);

/*
 * The probability that any of `lines` lines stands out as much from those around it as line k does. power[1] to
 * power[lines]; the background is the median of the lines from about k/2 to 2k, which neither a few strong lines nor a
 * slope changes much.
 */
double significance_local(const double *power, size_t lines, size_t k);

#endif
