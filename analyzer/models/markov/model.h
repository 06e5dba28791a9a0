/* The model itself: counts, from which all else follows. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_MODEL_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_MODEL_H

#include "analyzer/models/markov/distribution.h"
#include "analyzer/models/sequences/pes.h"
#include "base/hash.h"
#include "base/vector.h"

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
  unsigned order; /* above 1: states carry so many states (higher_order.h); 0 and 1: they are what the runs have */
};

void markov_model_free(struct markov_model *model);

/* Is the state part of the chain? Others are in the table because aggregates contain them. */
bool markov_state_is_used(const struct markov_model *model, uint32_t state);

/* The index of a transition among the model's edges; SIZE_MAX: there is none. */
size_t markov_edge_index(const struct markov_model *model, uint32_t from, uint32_t to);

/* Sum of `starts`: as many as runs. */
uint64_t markov_model_starts(const struct markov_model *model);

/*
 * Private to markov/: how often each transition from one state to another occurs. Also for transitions of second order,
 * where `from` is the number of a transition. Memory grows with distinct transitions.
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

/* `times` more; times > 0. False: out of memory. */
bool markov_transition_counts_add(struct markov_transition_counts *counts, uint32_t from, uint32_t to, uint64_t times);

/* All transitions by ascending from, then to; the caller frees them. NULL: out of memory (also if there are none). */
struct markov_transition *markov_transition_counts_sorted(const struct markov_transition_counts *counts);

void markov_transition_counts_free(struct markov_transition_counts *counts);

/*
 * Private to markov/: the counts of one run: its transitions and occupancies, by the state numbers of the run's own
 * table. They are all that a model needs to know of a run.
 */

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

/* Private to markov/: the counts of any number of runs, by the state numbers of the model's table. A model is made of
 * them. */

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

/* One record with what came after it. */
struct markov_step {
  uint64_t number, entry, ticks; /* number: from 0 */
  uint32_t state;
  size_t edge; /* the run's transition; SIZE_MAX: the run ends */
};

/* Reads the run, which is known as a model, once from its beginning. False: an error. */
bool markov_steps(struct pes_stream *stream, const struct markov_model *run,
                  void (*take)(void *context, const struct markov_step *step), void *context, struct error *error);

#endif
