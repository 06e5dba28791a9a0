/* Private to spectrum/: a signal's number for each program state. */
#ifndef HEDDLE_ANALYZER_MODELS_SPECTRUM_SIGNAL_H
#define HEDDLE_ANALYZER_MODELS_SPECTRUM_SIGNAL_H

#include "analyzer/models/spectrum/options.h"

/*
 * One number for each state of the stream's table, after the stream has been read once. `rank` has each state's number
 * in order of first appearance (PES_NONE: the state does not appear, and its value is unused). The caller frees the
 * array. NULL: an error.
 */
double *signal_values(const struct spectrum_signal *signal, const struct pes_stream *stream, const uint32_t *rank,
                      struct error *error);

#endif
