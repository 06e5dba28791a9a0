/* Private to spectrum/: the number that a signal makes of each program state. */
#ifndef HEDDLE_ANALYZER_SPECTRUM_SIGNAL_H
#define HEDDLE_ANALYZER_SPECTRUM_SIGNAL_H

#include "analyzer/spectrum/options.h"

/*
 * One number for each state of the stream's table, which must have been read once. `rank` has each state's number in
 * order of first appearance (PES_NONE: it does not occur, and its value is never looked at). The caller frees it. NULL:
 * an error.
 */
double *signal_values(const struct spectrum_signal *signal, const struct pes_stream *stream, const uint32_t *rank,
                      struct error *error);

#endif
