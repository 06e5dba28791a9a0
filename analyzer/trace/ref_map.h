/*
 * A map from 64-bit keys (references of OTF2 definitions) to 32-bit indices. References count from 0 as a rule, and are
 * looked up for every event: small keys are places in an array. The rest is hashed (open addressing, at most half
 * full). Any number of threads may look up while nobody inserts.
 */
#ifndef HEDDLE_ANALYZER_TRACE_REF_MAP_H
#define HEDDLE_ANALYZER_TRACE_REF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REF_MAP_NONE  UINT32_MAX
#define REF_MAP_SMALL 65536 /* keys below are small: so a single one of them costs 256 KiB at most */

struct ref_map_slot {
  uint64_t key;
  uint32_t value; /* REF_MAP_NONE: the slot is free */
};

struct ref_map {
  uint32_t *small; /* values of the keys below small_count; REF_MAP_NONE where there is none */
  size_t small_count;
  struct ref_map_slot *slots;
  size_t capacity; /* a power of two, or 0 */
  size_t count;    /* of hashed keys */
};

static inline size_t ref_map_hash(uint64_t key, size_t capacity)
{
  return (size_t)((key * 0x9e3779b97f4a7c15ull) >> 20) & (capacity - 1);
}

/* The value of a key, or REF_MAP_NONE. */
static inline uint32_t ref_map_get(const struct ref_map *map, uint64_t key)
{
  if (key < map->small_count)
    return map->small[key];
  if (map->capacity == 0)
    return REF_MAP_NONE;
  size_t at = ref_map_hash(key, map->capacity);
  while (map->slots[at].value != REF_MAP_NONE && map->slots[at].key != key)
    at = (at + 1) & (map->capacity - 1);
  return map->slots[at].value;
}

/* Inserts or replaces; value must not be REF_MAP_NONE. False: no memory (the map is unchanged). */
bool ref_map_set(struct ref_map *map, uint64_t key, uint32_t value);
void ref_map_free(struct ref_map *map);

#endif
