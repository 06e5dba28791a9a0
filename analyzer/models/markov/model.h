/*
 * Semi-Markov model: states, transitions and occupancies as counts, and the counts of runs that it is made of. A model
 * owns its program, its table of states and its lists. Memory grows with distinct states and transitions, never with
 * records.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_MODEL_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_MODEL_H

#include "analyzer/models/markov/distribution.h"
#include "analyzer/models/sequences/pes.h"
#include "base/hash.h"
#include "base/vector.h"

/* Treatment of the transition into the terminal state, whose occupancy is unknown. */
enum markov_terminal { MARKOV_DROP, MARKOV_KEEP };

/* Successor of a state that is never left: the first state of the next run, or none. */
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
  struct markov_distribution occupancy; /* its count: visits with a known occupancy */
  const struct markov_edge *edges;      /* by ascending `to` */
  uint32_t edge_count;
  uint64_t left;         /* the sum of their counts */
  uint64_t starts, ends; /* runs whose first record, whose last record has the state */
  uint64_t terminals;    /* runs whose terminal state it is */
};

struct markov_model {
  struct markov_options options;
  struct pes_program *program; /* of a pooled model: with the parameters that all runs share */
  struct pes_states *states;   /* by number; also the states that only aggregates contain */
  struct markov_state *list;   /* by the same number */
  uint32_t count;
  struct markov_edge *edges; /* of all states */
  size_t edge_count;
  uint64_t runs, records, duration; /* duration in ticks, of all runs */
  unsigned order; /* 2 and more: each state stands for so many states (higher_order.h); 0 and 1: states are the states
                     of the runs */
};

void markov_model_free(struct markov_model *model);

/* True if the state is part of the chain. Others are in the table because aggregates contain them. */
bool markov_state_is_used(const struct markov_model *model, uint32_t state);

/* Returns the index of a transition among the model's edges; SIZE_MAX: the model has no such transition. */
size_t markov_edge_index(const struct markov_model *model, uint32_t from, uint32_t to);

/* Returns the sum of `starts`, which is the number of runs. */
uint64_t markov_model_starts(const struct markov_model *model);

/*
 * Private to markov/. Counts of transitions. Transitions of second order have the number of a transition as `from`.
 * Memory grows with distinct transitions.
 */

struct markov_transition {
  uint32_t from, to;
  uint64_t count; /* > 0 */
};

/* All zeros is an empty one. */
struct markov_transition_counts {
  struct hash counts; /* from << 32 | to -> count */
};

static inline size_t markov_transition_counts_distinct(const struct markov_transition_counts *counts)
{
  return counts->counts.count;
}

/* Adds `times`, which is above 0. False: out of memory. */
bool markov_transition_counts_add(struct markov_transition_counts *counts, uint32_t from, uint32_t to, uint64_t times);

/* Private to markov/. Counts of one run, by the state numbers of the run's own table. */

struct markov_run_counts {
  VECTOR(struct markov_distribution) occupancies; /* by state */
  struct markov_transition_counts transitions;    /* between records; without the one into the terminal state */
  uint64_t records, duration;
  uint32_t first, last; /* states; valid if records > 0 */
  uint32_t terminal;    /* PES_NONE: unknown */
};

/*
 * Reads the whole stream from its beginning. Times are multiplied by num / den. markov_run_counts_free() frees the
 * counts, also after an error. False: an error.
 */
bool markov_run_counts_read(struct markov_run_counts *counts, struct pes_stream *stream, uint64_t num, uint64_t den,
                            struct error *error);
void markov_run_counts_free(struct markov_run_counts *counts);

/* Private to markov/. Sums of the counts of runs, by the state numbers of the model's table. */

/* All zeros is an empty one. */
struct markov_pooled_counts {
  VECTOR(struct markov_state) states; /* without edges */
  struct markov_transition_counts transitions;
  uint64_t runs, records, duration;
};

/* Makes room for at least `count` states. False: out of memory. */
bool markov_pooled_counts_resize(struct markov_pooled_counts *pooled, uint32_t count);

/* Adds a run. Its state s is the pooled state map[s], for which there is room. False: out of memory, or a sum that
 * needs more than 63 bits. */
bool markov_pooled_counts_add(struct markov_pooled_counts *pooled, const struct markov_run_counts *run,
                              const uint32_t *map, enum markov_terminal terminal, struct error *error);

/* Empties `pooled` into a model, which has neither program nor table of states yet. NULL: out of memory. */
struct markov_model *markov_pooled_counts_to_model(struct markov_pooled_counts *pooled,
                                                   const struct markov_options *options);

void markov_pooled_counts_free(struct markov_pooled_counts *pooled);

/* Private to markov/: a run record by record, each with its duration and the transition out of it. */

/* A record with its duration and the transition out of it. */
struct markov_step {
  uint64_t number, entry, ticks; /* number: from 0 */
  uint32_t state;
  size_t edge; /* the run's transition; SIZE_MAX: the run ends */
};

/*
 * Private to markov/. Reads a run from its beginning and calls `take` for each record. `run` is the model of this run.
 * False: an error.
 */
bool markov_steps(struct pes_stream *stream, const struct markov_model *run,
                  void (*take)(void *context, const struct markov_step *step), void *context, struct error *error);

#endif
