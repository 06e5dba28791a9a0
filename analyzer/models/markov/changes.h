/*
 * A run as up to MARKOV_BLOCKS_MOST blocks of equally many records, and what each is like: the
 * states' parts of its time and of its visits, those of the transitions, and its time. Where a run changes, blocks do.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_CHANGES_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_CHANGES_H

#include "analyzer/models/markov/model.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  MARKOV_BLOCKS_MOST = 1024,
  MARKOV_BLOCK_RECORDS = 4, /* at least */
  MARKOV_BLOCK_STATES = 64, /* those that occur most */
  MARKOV_BLOCK_EDGES = 128
};

struct markov_blocks {
  uint64_t length; /* records of a block; the last block may have up to twice as many */
  uint32_t count, states, edges, features;
  uint32_t *state_at, *edge_at; /* by state and by edge: its place among those followed, or UINT32_MAX */
  double *values;   /* by block, then feature: ticks of the states, visits of the states, transitions, ticks */
  uint64_t records; /* so far */
};

/* For a run that is known as a model, which need not live longer. False: no memory; to be freed also then. */
bool markov_blocks_begin(struct markov_blocks *blocks, const struct markov_model *run);
void markov_blocks_free(struct markov_blocks *blocks);

/* The next record, and the transition out of it; SIZE_MAX: there is none, the run ends. */
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

/* Where a feature's group begins: 0 time, 1 visits, 2 transitions, 3 ticks, 4 the end. */
static inline uint32_t markov_blocks_group(const struct markov_blocks *blocks, unsigned group)
{
  const uint32_t begins[] = {0, blocks->states, 2 * blocks->states, blocks->features - 1, blocks->features};
  return begins[group];
}

/* Private to markov/: do consecutive blocks of a run depend on each other? They are joined until they don't look so. */

enum { MARKOV_JOINED_MARGIN = 4 }; /* blocks that look independent are joined so many at a time, for safety */

/*
 * Do neighbours differ about as much as distant blocks do? `values` are by feature, then block; `scratch` has room for
 * `count`. Medians, so that a few changes do not matter.
 */
bool markov_look_independent(const double *values, uint32_t features, uint32_t count, double *scratch);

/*
 * Where do blocks change? Binary segmentation: the place where ranks of a feature differ most
 * between what is before and behind it, over all features and places, against permutations of the blocks. The
 * probability of a false alarm is at most `level` for blocks that could have come in any order; blocks are joined until
 * they look so.
 */

enum { MARKOV_CHANGES_MOST = 63, MARKOV_JOINED_LEAST = 16 };

struct markov_change_options {
  double level, tolerance; /* changes of at most the tolerance are none */
  uint64_t seed;
};

struct markov_change {
  uint64_t record;   /* the first one behind it, to one joined block */
  double p;          /* of the part of the run that it splits */
  double difference; /* between the parts before and behind it */
};

struct markov_changes {
  bool is_tested;                                 /* there are blocks enough */
  uint64_t length;                                /* records of a joined block */
  uint32_t blocks;                                /* joined ones */
  struct markov_change first;                     /* the largest one, whether or not it is one */
  struct markov_change list[MARKOV_CHANGES_MOST]; /* in the order of the run */
  uint32_t count;
  double smallest; /* the smallest difference of time, in the middle of the run, that would have been found */
};

/* False: no memory. */
bool markov_changes_find(const struct markov_blocks *blocks, const struct markov_change_options *options,
                         struct markov_changes *changes);

#endif
