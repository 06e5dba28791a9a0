/*
 * Simulated runs of a model, and pairs of them that show how much runs differ by chance. Draws use integers only and so
 * are the same on every machine.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_SIMULATE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_SIMULATE_H

#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/statistics.h"

/* Limits of a simulated sequence. */

struct markov_simulation {
  uint64_t seed;
  uint64_t ticks;   /* no record begins then or later; the last record keeps its full length */
  uint64_t records; /* maximum number */
};

/*
 * Returns a simulated sequence that begins at time 0. Records are drawn while it is read, the same ones each time;
 * memory does not grow with the length. The model must have a run, and outlives the stream. The stream has copies of
 * program and states; its terminal state is the state that would come next. NULL: out of memory.
 */
struct pes_stream *markov_simulate(const struct markov_model *model, const struct markov_simulation *simulation,
                                   struct error *error);

/* Returns the number of states in the stream's table: the expanded ones come last, if the model has one run. */
uint32_t markov_count_delivered(const struct markov_model *model);

/* Private to markov/. Times of states and cycles of a reference state, from a stream or a simulation. */

struct markov_sample {
  double *time; /* by state */
  uint32_t count;
  double all; /* time */
  /* The reference state's cycles. */
  uint32_t reference;
  double first, last; /* entries of the reference state, without the first record of the run */
  uint64_t entries;
};

/* Returns the mean ticks between entries of the reference state; NAN: fewer than two entries. */
double markov_sample_cycle(const struct markov_sample *sample);

bool markov_sample_create(struct markov_sample *sample, uint32_t count, uint32_t reference);
void markov_sample_free(struct markov_sample *sample);

/* Adds a record. */
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

/* Private to markov/. Differences within pairs of simulated runs of one model, which are due to chance. */

/* Sorted differences of the pairs. */
struct markov_replicates {
  double *shares, *cycles; /* shares: part of the time; cycles: part of the mean cycle, in ticks */
  unsigned share_count, cycle_count;
  bool shortened; /* simulated runs were shorter than the compared runs, and their differences are scaled */
};

/* Simulates `count` pairs of runs with `own` and `other` records. False: out of memory; free it also then. */
bool markov_replicate(struct markov_replicates *replicates, const struct markov_model *model, uint64_t own,
                      uint64_t other, uint32_t reference, uint64_t seed, unsigned count);
void markov_replicates_free(struct markov_replicates *replicates);

/* Returns half of the sum of differences of the states' shares of the time. */
double markov_shares_apart(const struct markov_sample *one, const struct markov_sample *other, uint32_t count);

/* Return the probability of at least this difference, and the smallest difference that a test at `level` detects. */
double markov_replicates_p(const double *differences, unsigned count, double difference);
double markov_replicates_smallest(const double *differences, unsigned count, double level);

#endif
