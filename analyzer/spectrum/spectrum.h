/*
 * Periodograms of program execution sequences: how much of a signal's power lies at which frequency, and is one of them
 * the frequency of a period? docs/models.md has formulas and decisions.
 *
 * A signal makes one number of each program state. Its samples g_0 ... g_(N-1) are taken at each record (event domain)
 * or every delta ticks (time domain: the state that the program was in then). Line k has frequency k / (N delta) and
 * power P_k; the powers of all lines add up to the sum of g_j^2, and P_0 is the part of the mean alone.
 */
#ifndef HEDDLE_ANALYZER_SPECTRUM_SPECTRUM_H
#define HEDDLE_ANALYZER_SPECTRUM_SPECTRUM_H

#include "analyzer/spectrum/options.h"
#include "analyzer/spectrum/result.h"

/* Reads the stream twice. NULL: an error. */
struct spectrum *spectrum_compute(struct pes_stream *stream, const struct spectrum_options *options,
                                  struct error *error);
void spectrum_free(struct spectrum *spectrum);

/* Cycles a tick, or a record, of line k. */
double spectrum_frequency(const struct spectrum *spectrum, double k);

/* The power of lines 1 to N/2 in `count` equal ranges of frequency up to 1 / (2 delta); a line on a limit is below it.
 */
void spectrum_bins(const struct spectrum *spectrum, size_t count, double *power);

#endif
