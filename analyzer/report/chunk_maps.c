#include "analyzer/report/chunk_maps.h"

#include <stdlib.h>

bool chunk_map_add(struct chunk_map *map, const struct chunk *chunk)
{
  if (__builtin_add_overflow(map->iterations, chunk->iterations, &map->iterations))
    map->iterations = UINT64_MAX;
  if (map->count == CHUNKS_MAX) {
    map->left_out++;
    return true;
  }
  if (map->count == map->capacity) {
    uint32_t capacity = map->capacity ? 2 * map->capacity : 16;
    struct chunk *list = reallocarray(map->list, capacity, sizeof *list);
    if (!list)
      return false;
    map->list = list;
    map->capacity = capacity;
  }
  map->list[map->count++] = *chunk;
  return true;
}

void chunk_map_free(struct chunk_map *map)
{
  free(map->list);
  *map = (struct chunk_map){0};
}

/* Of equally long ones the earliest, then that of the lowest location: so it depends on the trace alone. */
static bool is_longer(const struct chunk_map *a, const struct chunk_map *b)
{
  if (a->end - a->begin != b->end - b->begin)
    return a->end - a->begin > b->end - b->begin;
  return a->begin != b->begin ? a->begin < b->begin : a->list[0].location < b->list[0].location;
}

/* The lists are swapped, so that their memory is used again. */
void chunk_map_keep(struct chunk_map *longest, struct chunk_map *map)
{
  if (map->count > 0 && (longest->count == 0 || is_longer(map, longest))) {
    struct chunk_map kept = *map;
    *map = *longest;
    *longest = kept;
  }
  *map = (struct chunk_map){.list = map->list, .capacity = map->capacity};
}

int64_t chunk_map_first(const struct chunk_map *map)
{
  int64_t first = map->count ? map->list[0].first : 0;
  for (uint32_t i = 1; i < map->count; i++)
    if (map->list[i].first < first)
      first = map->list[i].first;
  return first;
}
