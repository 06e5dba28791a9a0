#include "analyzer/models/markov/blocks.h"

#include <stdlib.h>

struct blocks_ranked {
  uint64_t count;
  size_t at;
};

static int blocks_compare_ranked(const void *left, const void *right)
{
  const struct blocks_ranked *a = left, *b = right;
  if (a->count != b->count)
    return a->count < b->count ? 1 : -1;
  return (a->at > b->at) - (a->at < b->at);
}

/* places[i]: the place of i among the `most` largest counts, none for 0. Returns how many have one. */
static uint32_t blocks_choose(struct blocks_ranked *ranked, size_t count, uint32_t most, uint32_t *places)
{
  uint32_t used = 0;
  if (count > 0)
    qsort(ranked, count, sizeof *ranked, blocks_compare_ranked);
  for (size_t i = 0; i < count; i++)
    places[ranked[i].at] = used < most && ranked[i].count > 0 ? used++ : UINT32_MAX;
  return used;
}

bool markov_blocks_begin(struct markov_blocks *blocks, const struct markov_model *run)
{
  uint64_t count = run->records / MARKOV_BLOCK_RECORDS;
  *blocks = (struct markov_blocks){.count = (uint32_t)(count > MARKOV_BLOCKS_MOST ? MARKOV_BLOCKS_MOST : count)};
  blocks->count = blocks->count > 0 ? blocks->count : 1;
  blocks->length = run->records / blocks->count > 0 ? run->records / blocks->count : 1;
  blocks->state_at = malloc(((size_t)run->count + 1) * sizeof *blocks->state_at);
  blocks->edge_at = malloc((run->edge_count + 1) * sizeof *blocks->edge_at);
  size_t larger = run->count > run->edge_count ? run->count : run->edge_count;
  struct blocks_ranked *ranked = calloc(larger + 1, sizeof *ranked);
  bool good = blocks->state_at && blocks->edge_at && ranked;
  if (good) {
    for (uint32_t i = 0; i < run->count; i++)
      ranked[i] = (struct blocks_ranked){run->list[i].occupancy.count, i};
    blocks->states = blocks_choose(ranked, run->count, MARKOV_BLOCK_STATES, blocks->state_at);
    for (uint32_t i = 0; i < run->count; i++) {
      for (uint32_t k = 0; k < run->list[i].edge_count; k++) {
        size_t at = (size_t)(&run->list[i].edges[k] - run->edges);
        ranked[at] = (struct blocks_ranked){run->list[i].edges[k].count, at};
      }
    }
    blocks->edges = blocks_choose(ranked, run->edge_count, MARKOV_BLOCK_EDGES, blocks->edge_at);
    blocks->features = 2 * blocks->states + blocks->edges + 1;
    blocks->values = calloc((size_t)blocks->count * blocks->features + 1, sizeof *blocks->values);
  }
  free(ranked);
  return good && blocks->values;
}

void markov_blocks_free(struct markov_blocks *blocks)
{
  free(blocks->state_at);
  free(blocks->edge_at);
  free(blocks->values);
  *blocks = (struct markov_blocks){0};
}
