/* Private to spectrum/: which numbers of samples are fast to transform. */
#ifndef HEDDLE_ANALYZER_MODELS_SPECTRUM_SAMPLES_H
#define HEDDLE_ANALYZER_MODELS_SPECTRUM_SAMPLES_H

#include "analyzer/models/spectrum/periodogram.h"

#include <stdbool.h>
#include <stdint.h>

/* The largest even number up to `most` (at least 2) with no prime factors but 2, 3 and 5. */
uint64_t spectrum_fast_size(uint64_t most);

/* Whether the transform of `size` samples takes seconds at most. Its time grows with size * its largest prime factor.
 */
bool spectrum_size_is_fair(uint64_t size);

/* Private to spectrum/: a signal's number for each program state. */

/*
 * One number for each state of the stream's table, after the stream has been read once. `rank` has each state's number
 * in order of first appearance (PES_NONE: the state does not appear, and its value is unused). The caller frees the
 * array. NULL: an error.
 */
double *signal_values(const struct spectrum_signal *signal, const struct pes_stream *stream, const uint32_t *rank,
                      struct error *error);

/*
 * Private to spectrum/: the samples of a sequence. A sample is kept as its state: 4 bytes, and the signal's numbers
 * stay exact.
 */

struct samples {
  uint64_t count;
  uint32_t *state; /* of each sample */
  double *value;   /* of each state */
  uint32_t states; /* number of states */
  double delta;    /* ticks, or 1 */
  uint64_t records, unseen;
};

/* Reads the stream twice. False: an error. samples_free() in any case. */
bool samples_take(struct samples *samples, struct pes_stream *stream, const struct spectrum_options *options,
                  struct error *error);
void samples_free(struct samples *samples);

static inline double samples_at(const struct samples *samples, uint64_t sample)
{
  return samples->value[samples->state[sample]];
}

#endif
