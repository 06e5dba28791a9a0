#include "analyzer/markov/counts.h"

#include <stdlib.h>

static struct markov_pair *slot_of(const struct markov_counts *counts, uint32_t from, uint32_t to)
{
  size_t mask = counts->capacity - 1;
  uint64_t hash = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15);
  size_t at = (hash ^ hash >> 32) & mask;
  while (counts->slots[at].count > 0 && (counts->slots[at].from != from || counts->slots[at].to != to))
    at = (at + 1) & mask;
  return &counts->slots[at];
}

static bool grow(struct markov_counts *counts)
{
  struct markov_counts bigger = {.capacity = counts->capacity ? 2 * counts->capacity : 64, .used = counts->used};
  bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
  if (!bigger.slots)
    return false;
  for (size_t i = 0; i < counts->capacity; i++) {
    if (counts->slots[i].count > 0)
      *slot_of(&bigger, counts->slots[i].from, counts->slots[i].to) = counts->slots[i];
  }
  free(counts->slots);
  *counts = bigger;
  return true;
}

bool markov_counts_add(struct markov_counts *counts, uint32_t from, uint32_t to, uint64_t times)
{
  if (2 * counts->used >= counts->capacity && !grow(counts))
    return false;
  struct markov_pair *slot = slot_of(counts, from, to);
  counts->used += slot->count == 0;
  slot->from = from;
  slot->to = to;
  slot->count += times;
  return true;
}

static int compare_pairs(const void *left, const void *right)
{
  const struct markov_pair *a = left, *b = right;
  int order = (a->from > b->from) - (a->from < b->from);
  return order != 0 ? order : (a->to > b->to) - (a->to < b->to);
}

struct markov_pair *markov_counts_sorted(const struct markov_counts *counts)
{
  struct markov_pair *pairs = malloc((counts->used + 1) * sizeof *pairs);
  size_t used = 0;
  if (!pairs)
    return NULL;
  for (size_t i = 0; i < counts->capacity; i++) {
    if (counts->slots[i].count > 0)
      pairs[used++] = counts->slots[i];
  }
  qsort(pairs, used, sizeof *pairs, compare_pairs);
  return pairs;
}

void markov_counts_free(struct markov_counts *counts)
{
  free(counts->slots);
  *counts = (struct markov_counts){0};
}
