#include "analyzer/models/markov/observe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool markov_sample_create(struct markov_sample *sample, uint32_t count, uint32_t reference)
{
  *sample = (struct markov_sample){.count = count, .reference = reference};
  sample->time = calloc((size_t)count + 1, sizeof *sample->time);
  return sample->time;
}

void markov_sample_clear(struct markov_sample *sample)
{
  memset(sample->time, 0, sample->count * sizeof *sample->time);
  sample->all = 0;
  sample->entries = 0;
}

void markov_sample_free(struct markov_sample *sample)
{
  free(sample->time);
  memset(sample, 0, sizeof *sample);
}

void markov_sample_draw(struct markov_sample *sample, const struct markov_drawer *drawer, struct markov_random *random,
                        uint64_t records)
{
  double entry = 0;
  uint32_t state = markov_draw_start(drawer, random);
  markov_sample_clear(sample);
  for (uint64_t i = 0; i < records; i++) {
    if (state == PES_NONE) /* the model ends there; the next run begins */
      state = markov_draw_start(drawer, random);
    double ticks = (double)markov_draw_ticks(drawer, state, random);
    markov_sample_add(sample, state, entry, ticks);
    entry += ticks;
    state = markov_draw_next(drawer, state, random);
  }
}

double markov_sample_cycle(const struct markov_sample *sample)
{
  return sample->entries < 2 ? NAN : (sample->last - sample->first) / (double)(sample->entries - 1);
}
