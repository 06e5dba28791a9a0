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
  struct ref_map bigger = {.capacity = map->capacity ? 2 * map->capacity : 64};
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

bool ref_map_set(struct ref_map *map, uint64_t key, uint32_t value)
{
  if (2 * (map->count + 1) > map->capacity && !grow(map))
    return false;
  insert(map, key, value);
  return true;
}

void ref_map_free(struct ref_map *map)
{
  free(map->slots);
  *map = (struct ref_map){0};
}
