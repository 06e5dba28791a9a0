/*
 * A map from 64-bit keys (references of OTF2 definitions) to 32-bit indices. References usually count from 0, and every
 * event looks one up: small keys are places in an array, the others are hashed. Any number of threads may look up while
 * none inserts.
 */
#ifndef HEDDLE_ANALYZER_TRACE_REF_MAP_H
#define HEDDLE_ANALYZER_TRACE_REF_MAP_H

#include "base/hash.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REF_MAP_NONE  UINT32_MAX
#define REF_MAP_SMALL 65536 /* keys below are small: so a single one of them costs 256 KiB at most */

struct ref_map {
  VECTOR(uint32_t) small; /* by key; REF_MAP_NONE where there is no value */
  struct hash large;
};

/* The value of a key, or REF_MAP_NONE. */
static inline uint32_t ref_map_get(const struct ref_map *map, uint64_t key)
{
  if (key < map->small.count)
    return map->small.items[key];
  const uint64_t *value = hash_find(&map->large, key);
  return value ? (uint32_t)*value : REF_MAP_NONE;
}

/* Inserts or replaces; value must not be REF_MAP_NONE. False: no memory, and the map is unchanged. */
bool ref_map_set(struct ref_map *map, uint64_t key, uint32_t value);
void ref_map_free(struct ref_map *map);

#endif
