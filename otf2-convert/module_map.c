#include "otf2-convert/module_map.h"

static int by_number(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* The borders of all ranges cut memory into pieces, each of which has one owner. */
struct pieces {
  uint64_t *borders; /* in order, each once; piece i is from border i to border i + 1 */
  uint32_t count;    /* of borders */
  uint32_t *owner;   /* of a piece: a module */
  uint32_t *next;    /* of a piece: itself while it has no owner, else one nearer to the next that has none */
};

static bool make_pieces(struct pieces *pieces, const struct module_range *listed, uint32_t count)
{
  size_t room = 2 * (size_t)count + 1;
  *pieces = (struct pieces){.borders = calloc(room, sizeof *pieces->borders),
                            .owner = calloc(room, sizeof *pieces->owner),
                            .next = calloc(room, sizeof *pieces->next)};
  if (pieces->borders == NULL || pieces->owner == NULL || pieces->next == NULL)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    pieces->borders[2 * (size_t)i] = listed[i].start;
    pieces->borders[2 * (size_t)i + 1] = listed[i].end;
  }
  qsort(pieces->borders, room - 1, sizeof *pieces->borders, by_number);
  for (size_t i = 0; i + 1 < room; i++)
    if (i == 0 || pieces->borders[i] != pieces->borders[i - 1])
      pieces->borders[pieces->count++] = pieces->borders[i];
  for (uint32_t i = 0; i < pieces->count; i++) {
    pieces->owner[i] = MODULE_MAP_NONE;
    pieces->next[i] = i;
  }
  return true;
}

static void free_pieces(struct pieces *pieces)
{
  free(pieces->borders);
  free(pieces->owner);
  free(pieces->next);
}

/* The first piece from i on that has no owner. */
static uint32_t next_without_owner(struct pieces *pieces, uint32_t i)
{
  while (pieces->next[i] != i)
    i = pieces->next[i] = pieces->next[pieces->next[i]];
  return i;
}

static uint32_t piece_at(const struct pieces *pieces, uint64_t border)
{
  const uint64_t *at = bsearch(&border, pieces->borders, pieces->count, sizeof border, by_number);
  return (uint32_t)(at - pieces->borders);
}

bool module_map_make(struct module_map *map, const struct module_range *listed, uint32_t count)
{
  struct pieces pieces;
  *map = (struct module_map){0};
  bool good = make_pieces(&pieces, listed, count);
  for (uint32_t i = count; good && i-- > 0;) {
    if (listed[i].start >= listed[i].end)
      continue;
    uint32_t end = piece_at(&pieces, listed[i].end),
             k = next_without_owner(&pieces, piece_at(&pieces, listed[i].start));
    for (; k < end; k = next_without_owner(&pieces, k)) {
      pieces.owner[k] = listed[i].module;
      pieces.next[k] = k + 1; /* there is one: the border at `end` */
    }
  }
  for (uint32_t k = 0; good && k + 1 < pieces.count; k++) {
    struct module_range range = {.start = pieces.borders[k], .end = pieces.borders[k + 1], .module = pieces.owner[k]};
    struct module_range *last = map->ranges.count == 0 ? NULL : &map->ranges.items[map->ranges.count - 1];
    if (range.module == MODULE_MAP_NONE)
      continue;
    if (last != NULL && last->module == range.module && last->end == range.start)
      last->end = range.end;
    else
      good = vector_push(&map->ranges, range);
  }
  free_pieces(&pieces);
  return good;
}

void module_map_free(struct module_map *map)
{
  vector_free(&map->ranges);
}

uint32_t module_map_find(const struct module_map *map, uint64_t address)
{
  size_t low = 0, high = map->ranges.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (map->ranges.items[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && address < map->ranges.items[low - 1].end ? map->ranges.items[low - 1].module : MODULE_MAP_NONE;
}
