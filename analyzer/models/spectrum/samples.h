/*
 * Private to spectrum/: the samples of a sequence. A sample is kept as its state: 4 bytes, and the signal's numbers
 * stay exact.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SPECTRUM_SAMPLES_H
#define HEDDLE_ANALYZER_MODELS_SPECTRUM_SAMPLES_H

#include "analyzer/models/spectrum/options.h"

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
