/* Private to markov/: pairs of simulated runs of one model, and how much they differ by chance. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_REPLICATE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_REPLICATE_H

#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/observe.h"

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
