/*
 * Private to spectrum/. Samples of a signal of a sequence. A sample is kept as its state: 4 bytes, and the signal's
 * numbers stay exact.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SPECTRUM_SAMPLES_H
#define HEDDLE_ANALYZER_MODELS_SPECTRUM_SAMPLES_H

#include "analyzer/models/spectrum/periodogram.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns the largest even number up to `most` (at least 2) with no prime factors but 2, 3 and 5: it is fast to
 * transform.
 */
uint64_t spectrum_fast_size(uint64_t most);

/*
 * True if the transform of `size` samples takes at most seconds. Its time grows with size * its largest prime factor.
 */
bool spectrum_size_is_fair(uint64_t size);

struct samples {
  uint64_t count;
  uint32_t *state; /* of each sample */
  double *value;   /* of each state */
  uint32_t states; /* number of states */
  double delta;    /* ticks, or 1 */
  uint64_t records, not_sampled;
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
