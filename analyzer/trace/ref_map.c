#include "analyzer/trace/ref_map.h"

#include <stdlib.h>

static void insert(struct ref_map *map, uint64_t key, uint32_t value)
{
  size_t at = ref_map_hash(key, map->capacity);
  while (map->slots[at].value != REF_MAP_NONE && map->slots[at].key != key)
    at = (at + 1) & (map->capacity - 1);
  if (map->slots[at].value == REF_MAP_NONE)
    map->count++;
  map->slots[at].key = key;
  map->slots[at].value = value;
}

static bool grow(struct ref_map *map)
{
  struct ref_map bigger = *map;
  bigger.capacity = map->capacity ? 2 * map->capacity : 64;
  bigger.count = 0;
  bigger.slots = malloc(bigger.capacity * sizeof *bigger.slots);
  if (!bigger.slots)
    return false;
  for (size_t i = 0; i < bigger.capacity; i++)
    bigger.slots[i].value = REF_MAP_NONE;
  for (size_t i = 0; i < map->capacity; i++) {
    if (map->slots[i].value != REF_MAP_NONE)
      insert(&bigger, map->slots[i].key, map->slots[i].value);
  }
  free(map->slots);
  *map = bigger;
  return true;
}

static bool set_small(struct ref_map *map, uint32_t key, uint32_t value)
{
  if (key >= map->small_count) {
    size_t count = map->small_count ? map->small_count : 64;
    while (count <= key)
      count *= 2;
    uint32_t *small = reallocarray(map->small, count, sizeof *small);
    if (!small)
      return false;
    for (size_t i = map->small_count; i < count; i++)
      small[i] = REF_MAP_NONE;
    map->small = small;
    map->small_count = count;
  }
  map->small[key] = value;
  return true;
}

bool ref_map_set(struct ref_map *map, uint64_t key, uint32_t value)
{
  if (key < REF_MAP_SMALL)
    return set_small(map, (uint32_t)key, value);
  if (2 * (map->count + 1) > map->capacity && !grow(map))
    return false;
  insert(map, key, value);
  return true;
}

void ref_map_free(struct ref_map *map)
{
  free(map->small);
  free(map->slots);
  *map = (struct ref_map){0};
}
