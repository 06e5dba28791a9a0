#include "analyzer/transforms/filter_keys.h"

#include <stdlib.h>

/* The slot of the key, or the free one where it belongs. */
static struct filter_key *slot_of(const struct filter_keys *keys, uint32_t before, uint32_t after)
{
  uint64_t hash = ((uint64_t)before << 32 | after) * 0x9e3779b97f4a7c15u;
  size_t at = hash >> 32 & (keys->capacity - 1);
  while (keys->slots[at].aggregate != PES_NONE && (keys->slots[at].before != before || keys->slots[at].after != after))
    at = (at + 1) & (keys->capacity - 1);
  return &keys->slots[at];
}

static bool grow(struct filter_keys *keys)
{
  struct filter_keys more = {.count = keys->count, .capacity = keys->capacity ? 2 * keys->capacity : 64};
  more.slots = malloc(more.capacity * sizeof *more.slots);
  if (!more.slots)
    return false;
  for (size_t i = 0; i < more.capacity; i++)
    more.slots[i].aggregate = PES_NONE;
  for (size_t i = 0; i < keys->capacity; i++)
    if (keys->slots[i].aggregate != PES_NONE)
      *slot_of(&more, keys->slots[i].before, keys->slots[i].after) = keys->slots[i];
  free(keys->slots);
  *keys = more;
  return true;
}

uint32_t filter_keys_find(struct filter_keys *keys, struct pes_states *states, uint32_t before, uint32_t after)
{
  if (2 * keys->count >= keys->capacity && !grow(keys))
    return PES_NONE;
  struct filter_key *slot = slot_of(keys, before, after);
  if (slot->aggregate != PES_NONE)
    return slot->aggregate;
  uint32_t aggregate = pes_states_add_filter(states, NULL, before, after);
  if (aggregate != PES_NONE) {
    *slot = (struct filter_key){before, after, aggregate};
    keys->count++;
  }
  return aggregate;
}

void filter_keys_clear_runs(struct filter_keys *keys, struct pes_states *states)
{
  for (size_t i = 0; i < keys->capacity; i++)
    if (keys->slots[i].aggregate != PES_NONE)
      pes_states_clear_runs(states, keys->slots[i].aggregate);
}

void filter_keys_free(struct filter_keys *keys)
{
  free(keys->slots);
}
