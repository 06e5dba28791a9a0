/* Private to markov/: draws states and occupancies, with integers alone, so that it is the same on every machine. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_SIMULATE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_SIMULATE_H

#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/random.h"

struct markov_drawer;

/* The model must outlive it. NULL: no memory. */
struct markov_drawer *markov_drawer_create(const struct markov_model *model);
void markov_drawer_free(struct markov_drawer *drawer);

/* The state that a run begins with; PES_NONE: the model has no run. */
uint32_t markov_draw_start(const struct markov_drawer *drawer, struct markov_random *random);

/* The next state; PES_NONE: none, because the state is never left, and runs end there. */
uint32_t markov_draw_next(const struct markov_drawer *drawer, uint32_t state, struct markov_random *random);

/* How long it lasts; 0: unknown. */
uint64_t markov_draw_ticks(const struct markov_drawer *drawer, uint32_t state, struct markov_random *random);

/* Sequences that a model would produce. */

struct markov_simulation {
  uint64_t seed;
  uint64_t ticks;   /* no record begins then or later; the last one lasts as long as it was drawn */
  uint64_t records; /* at most so many */
};

/*
 * A sequence as a stream, which begins at time 0. It is drawn while it is read, and the same each time: memory does not
 * grow with its length. The model must outlive it, and have a run. The stream has its own copy of program and
 * states; its terminal state is the one that would come next. NULL: no memory.
 */
struct pes_stream *markov_simulate(const struct markov_model *model, const struct markov_simulation *simulation,
                                   struct error *error);

/* How many states the stream's table has: those with histories come behind the others, if there is one run. */
uint32_t markov_count_delivered(const struct markov_model *model);

/* Private to markov/: observations of a sequence, from a stream or a simulation, for comparison. */

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

/* Private to markov/: pairs of simulated runs of one model, and how much they differ by chance. */

/* Differences of the pairs, ascending. */
struct markov_replicates {
  double *shares, *cycles; /* in parts of the time; in ticks of the mean cycle */
  unsigned share_count, cycle_count;
  bool shortened; /* simulated runs were shorter than the runs, and their differences are scaled */
};

/* `count` pairs of runs with as many records as `own` and `other`. False: no memory; to be freed also then. */
bool markov_replicate(struct markov_replicates *replicates, const struct markov_model *model, uint64_t own,
                      uint64_t other, uint32_t reference, uint64_t seed, unsigned count);
void markov_replicates_free(struct markov_replicates *replicates);

/* Half of the sum of differences of the states' parts of the time. */
double markov_shares_apart(const struct markov_sample *one, const struct markov_sample *other, uint32_t count);

/* The probability of at least this difference, and the smallest difference that a test at `level` would find. */
double markov_replicates_p(const double *differences, unsigned count, double difference);
double markov_replicates_smallest(const double *differences, unsigned count, double level);

#endif
