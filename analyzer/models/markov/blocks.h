/*
 * A run as up to MARKOV_BLOCKS_MOST blocks of equally many records, and what each is like: the
 * states' parts of its time and of its visits, those of the transitions, and its time. Where a run changes, blocks do.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_BLOCKS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_BLOCKS_H

#include "analyzer/models/markov/model.h"

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

#endif
