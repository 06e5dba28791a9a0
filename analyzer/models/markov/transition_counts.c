#include "analyzer/models/markov/transition_counts.h"

#include <stdlib.h>

bool markov_transition_counts_add(struct markov_transition_counts *counts, uint32_t from, uint32_t to, uint64_t times)
{
  uint64_t key = (uint64_t)from << 32 | to;
  uint64_t *count = hash_find(&counts->counts, key);
  if (!count)
    return hash_add(&counts->counts, key, times);
  *count += times;
  return true;
}

static int transition_counts_compare_transitions(const void *left, const void *right)
{
  const struct markov_transition *a = left, *b = right;
  int order = (a->from > b->from) - (a->from < b->from);
  return order != 0 ? order : (a->to > b->to) - (a->to < b->to);
}

struct markov_transition *markov_transition_counts_sorted(const struct markov_transition_counts *counts)
{
  const struct hash *hash = &counts->counts;
  struct markov_transition *transitions = malloc((hash->count + 1) * sizeof *transitions);
  size_t used = 0;
  if (!transitions)
    return NULL;
  for (size_t i = 0; i < hash->room; i++) {
    const struct hash_entry *entry = &hash->entries[i];
    if (entry->used)
      transitions[used++] =
          (struct markov_transition){(uint32_t)(entry->key >> 32), (uint32_t)entry->key, entry->value};
  }
  qsort(transitions, used, sizeof *transitions, transition_counts_compare_transitions);
  return transitions;
}

void markov_transition_counts_free(struct markov_transition_counts *counts)
{
  hash_free(&counts->counts);
}
