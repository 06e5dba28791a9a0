/* The aggregates of one filter, by the states around them. */
#ifndef HEDDLE_ANALYZER_TRANSFORMS_FILTER_KEYS_H
#define HEDDLE_ANALYZER_TRANSFORMS_FILTER_KEYS_H

#include "analyzer/pes/pes.h"

struct filter_key {
  uint32_t before, after, aggregate; /* aggregate PES_NONE: a free slot */
};

struct filter_keys {
  struct filter_key *slots;
  size_t count, capacity; /* a power of two, at least twice the count */
};

/* The aggregate between the two, a new state if there is none yet. PES_NONE: no memory. */
uint32_t filter_keys_find(struct filter_keys *keys, struct pes_states *states, uint32_t before, uint32_t after);

/* Forgets what the aggregates stood for. */
void filter_keys_clear_runs(struct filter_keys *keys, struct pes_states *states);
void filter_keys_free(struct filter_keys *keys);

#endif
