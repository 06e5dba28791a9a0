#include "analyzer/trace/trace.h"

static bool set_small(struct ref_map *map, size_t key, uint32_t value)
{
  size_t count = map->small.count;
  if (key >= count) {
    if (!vector_resize(&map->small, key + 1))
      return false;
    memset(map->small.items + count, 0xff, (key + 1 - count) * sizeof *map->small.items); /* REF_MAP_NONE */
  }
  map->small.items[key] = value;
  return true;
}

bool ref_map_set(struct ref_map *map, uint64_t key, uint32_t value)
{
  return key < REF_MAP_SMALL ? set_small(map, key, value) : hash_put(&map->large, key, value);
}

void ref_map_free(struct ref_map *map)
{
  vector_free(&map->small);
  hash_free(&map->large);
}
