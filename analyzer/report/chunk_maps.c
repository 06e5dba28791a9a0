#include "analyzer/report/chunk_maps.h"

bool chunk_map_add(struct chunk_map *map, const struct chunk *chunk)
{
  if (__builtin_add_overflow(map->iterations, chunk->iterations, &map->iterations))
    map->iterations = UINT64_MAX;
  if (map->chunks.count == CHUNKS_MAX) {
    map->left_out++;
    return true;
  }
  return vector_push(&map->chunks, *chunk);
}

void chunk_map_free(struct chunk_map *map)
{
  vector_free(&map->chunks);
  *map = (struct chunk_map){0};
}

/* Of equally long ones the earliest, then that of the lowest location: so it depends on the trace alone. */
static bool is_longer(const struct chunk_map *a, const struct chunk_map *b)
{
  if (a->end - a->begin != b->end - b->begin)
    return a->end - a->begin > b->end - b->begin;
  return a->begin != b->begin ? a->begin < b->begin : a->chunks.items[0].location < b->chunks.items[0].location;
}

/* The lists are swapped, so that their memory is used again. */
void chunk_map_keep(struct chunk_map *longest, struct chunk_map *map)
{
  if (map->chunks.count > 0 && (longest->chunks.count == 0 || is_longer(map, longest))) {
    struct chunk_map kept = *map;
    *map = *longest;
    *longest = kept;
  }
  map->chunks.count = 0;
  *map = (struct chunk_map){.chunks = map->chunks};
}

int64_t chunk_map_first(const struct chunk_map *map)
{
  int64_t first = map->chunks.count ? map->chunks.items[0].first : 0;
  for (size_t i = 1; i < map->chunks.count; i++)
    if (map->chunks.items[i].first < first)
      first = map->chunks.items[i].first;
  return first;
}
