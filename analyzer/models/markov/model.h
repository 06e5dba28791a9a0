/* The model itself: counts, from which all else follows. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_MODEL_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_MODEL_H

#include "analyzer/models/markov/distribution.h"
#include "analyzer/models/sequences/pes.h"

/* What becomes of the transition into the terminal state, whose occupancy is unknown. */
enum markov_terminal { MARKOV_DROP, MARKOV_KEEP };

/* What follows a state that is never left: the next run's beginning, or nothing any more. */
enum markov_ends { MARKOV_RESTART, MARKOV_STAY };

struct markov_options {
  enum markov_terminal terminal;
  enum markov_ends ends;
  bool population; /* deviations are divided by n, not by n - 1 */
};

struct markov_edge {
  uint32_t to;
  uint64_t count; /* > 0 */
};

struct markov_state {
  struct markov_distribution occupancy; /* its count is how often the state was seen with a known occupancy */
  const struct markov_edge *edges;      /* by ascending `to` */
  uint32_t edge_count;
  uint64_t left;         /* the sum of their counts */
  uint64_t starts, ends; /* how many runs have it as their first, as their last record */
  uint64_t terminals;    /* as their terminal state */
};

struct markov_model {
  struct markov_options options;
  struct pes_program *program; /* of a pooled model: with the parameters that all runs share */
  struct pes_states *states;   /* what the states stand for, by number; also those that aggregates consist of */
  struct markov_state *list;   /* by the same number */
  uint32_t count;
  struct markov_edge *edges; /* of all states */
  size_t edge_count;
  uint64_t runs, records, duration; /* duration in ticks, of all runs */
  unsigned order; /* above 1: states carry so many states (carry.h); 0 and 1: they are what the runs have */
};

void markov_model_free(struct markov_model *model);

/* Is the state part of the chain? Others are in the table because aggregates contain them. */
bool markov_state_is_used(const struct markov_model *model, uint32_t state);

/* The index of a transition among the model's edges; SIZE_MAX: there is none. */
size_t markov_edge_index(const struct markov_model *model, uint32_t from, uint32_t to);

/* Sum of `starts`: as many as runs. */
uint64_t markov_model_starts(const struct markov_model *model);

#endif
