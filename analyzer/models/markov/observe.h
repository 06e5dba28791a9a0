/* Private to markov/: observations of a sequence, from a stream or a simulation, for comparison. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_OBSERVE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_OBSERVE_H

#include "analyzer/models/markov/draw.h"
#include "analyzer/models/markov/model.h"

struct markov_sample {
  double *time; /* by state */
  uint32_t count;
  double all; /* time */
  /* The reference state's cycles. */
  uint32_t reference;
  double first, last; /* entries, after the beginning */
  uint64_t entries;
};

/* Draws a run of so many records. */
void markov_sample_draw(struct markov_sample *sample, const struct markov_drawer *drawer, struct markov_random *random,
                        uint64_t records);

/* Mean ticks from reference to reference; NAN: it was not entered twice. */
double markov_sample_cycle(const struct markov_sample *sample);

bool markov_sample_create(struct markov_sample *sample, uint32_t count, uint32_t reference);
void markov_sample_clear(struct markov_sample *sample);
void markov_sample_free(struct markov_sample *sample);

/* One record: its state, entry and occupancy. */
static inline void markov_sample_add(struct markov_sample *sample, uint32_t state, double entry, double ticks)
{
  sample->time[state] += ticks;
  sample->all += ticks;
  if (state == sample->reference) {
    if (sample->entries++ == 0)
      sample->first = entry;
    sample->last = entry;
  }
}

#endif
