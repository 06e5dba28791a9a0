/*
 * Changes within a run. A run is split into up to MARKOV_BLOCKS_MOST blocks of equally many records. Each block has
 * features: time and visits of the states, counts of transitions, and its time. A change of the run is a change of
 * these features.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_CHANGES_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_CHANGES_H

#include "analyzer/models/markov/model.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  MARKOV_BLOCKS_MOST = 1024,
  MARKOV_BLOCK_RECORDS = 4, /* at least */
  MARKOV_BLOCK_STATES = 64, /* the most frequent ones */
  MARKOV_BLOCK_EDGES = 128
};

struct markov_blocks {
  uint64_t length; /* records of a block; the last block may have up to twice as many */
  uint32_t count, states, edges, features;
  uint32_t *state_at, *edge_at; /* by state and by edge: index among the followed ones; UINT32_MAX: not followed */
  double *values;   /* by block, then feature: ticks of the states, visits of the states, transitions, ticks */
  uint64_t records; /* so far */
};

/* `run` is the model of the run and is not needed later. False: out of memory; free the blocks also then. */
bool markov_blocks_begin(struct markov_blocks *blocks, const struct markov_model *run);
void markov_blocks_free(struct markov_blocks *blocks);

/* Adds the next record and the transition out of it; SIZE_MAX: the run ends. */
static inline void markov_blocks_add(struct markov_blocks *blocks, uint32_t state, double ticks, size_t edge)
{
  uint64_t block = blocks->records++ / blocks->length;
  double *values = &blocks->values[(block < blocks->count ? block : blocks->count - 1) * blocks->features];
  uint32_t at = blocks->state_at[state];
  if (at != UINT32_MAX) {
    values[at] += ticks;
    values[blocks->states + at]++;
  }
  if (edge != SIZE_MAX && blocks->edge_at[edge] != UINT32_MAX)
    values[2 * blocks->states + blocks->edge_at[edge]]++;
  values[blocks->features - 1] += ticks;
}

/* Returns the first feature of a group: 0 time, 1 visits, 2 transitions, 3 ticks, 4 the end. */
static inline uint32_t markov_blocks_group(const struct markov_blocks *blocks, unsigned group)
{
  const uint32_t begins[] = {0, blocks->states, 2 * blocks->states, blocks->features - 1, blocks->features};
  return begins[group];
}

/* Private to markov/. Dependence between consecutive blocks. Callers join blocks until no dependence is visible. */

enum { MARKOV_JOINED_MARGIN = 4 }; /* blocks without visible dependence are joined by this number, for safety */

/*
 * True if neighbours differ about as much as distant blocks. `values` are by feature, then block; `scratch` has room
 * for `count`. Medians are compared, because a few changes must not matter.
 */
bool markov_blocks_independent(const double *values, uint32_t features, uint32_t count, double *scratch);

/*
 * Change points by binary segmentation. The statistic is the largest scaled rank sum over all features and places; it
 * is compared with permutations of the blocks. The probability of a false alarm is at most `level` if blocks are
 * exchangeable; blocks are joined until they appear so.
 */

enum { MARKOV_CHANGES_MOST = 63, MARKOV_JOINED_LEAST = 16 };

struct markov_change_options {
  double level, tolerance; /* changes up to the tolerance are not reported */
  uint64_t seed;
};

struct markov_change {
  uint64_t record;   /* first record after the change, exact to one joined block */
  double p;          /* within the part of the run that it splits */
  double difference; /* between the parts before and after it */
};

struct markov_changes {
  bool is_tested;                                 /* there are enough blocks */
  uint64_t length;                                /* records of a joined block */
  uint32_t blocks;                                /* joined blocks */
  struct markov_change first;                     /* the largest difference, significant or not */
  struct markov_change list[MARKOV_CHANGES_MOST]; /* in the order of the run */
  uint32_t count;
  double smallest; /* smallest detectable difference of time, in the middle of the run */
};

/* False: out of memory. */
bool markov_changes_find(const struct markov_blocks *blocks, const struct markov_change_options *options,
                         struct markov_changes *changes);

#endif
