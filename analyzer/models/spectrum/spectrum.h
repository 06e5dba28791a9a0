/*
 * Periodograms of program execution sequences: the power of a signal at each frequency, and the period among them, if
 * there is one. docs/models.md has formulas and decisions.
 *
 * A signal is a number for each program state. It has a sample g_0 ... g_(N-1) at each record (event domain) or every
 * delta ticks (time domain: of the state at that time). Line k has frequency k / (N delta) and power P_k. The powers of
 * all lines add up to the sum of g_j^2; P_0 is the part of the mean.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SPECTRUM_SPECTRUM_H
#define HEDDLE_ANALYZER_MODELS_SPECTRUM_SPECTRUM_H

#include "analyzer/models/spectrum/periodogram.h"

/* Reads "states", "state=NAME", "component=0", "threads-in=VALUE". False: the text is none of these. */
bool spectrum_parse_signal(const char *text, struct spectrum_signal *signal);

/* Computes a periodogram; reads the stream twice. NULL: an error. */
struct spectrum *spectrum_compute(struct pes_stream *stream, const struct spectrum_options *options,
                                  struct error *error);
void spectrum_free(struct spectrum *spectrum);

/* Returns the frequency of line k, in cycles a tick or a record. */
double spectrum_frequency(const struct spectrum *spectrum, double k);

/*
 * Adds up the power of lines 1 to N/2 in `count` equal ranges of frequency up to 1 / (2 delta). A line on a limit
 * belongs to the range below.
 */
void spectrum_bins(const struct spectrum *spectrum, size_t count, double *power);

#endif
