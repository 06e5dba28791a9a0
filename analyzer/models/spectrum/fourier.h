/* Private to spectrum/. Powers of a periodogram's lines. */
#ifndef HEDDLE_ANALYZER_MODELS_SPECTRUM_FOURIER_H
#define HEDDLE_ANALYZER_MODELS_SPECTRUM_FOURIER_H

#include "analyzer/models/spectrum/samples.h"

#define FOURIER_LINES 2

/*
 * Computes the powers of `count` lines (1 to FOURIER_LINES) of the samples minus their mean, from line k on, of 1 to
 * N/2. Sums over all samples are in double precision. Their error is about 1e-12 of the sum of squares.
 */
void fourier_lines(const struct samples *samples, double mean, uint64_t k, unsigned count, double *power);

/*
 * Computes power[1] to power[N/2] by a fast Fourier transform in single precision. Their error is about 1e-6 of the
 * largest. `scale` is the greatest distance of a sample from the mean, not 0. False: out of memory.
 */
bool fourier_all(const struct samples *samples, double mean, double scale, double *power);

#endif
