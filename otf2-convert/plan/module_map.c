#include "otf2-convert/plan/module_map.h"

#include <string.h>

#define LAYERS_MAX (1u << 22)
#define LOOKS_MAX  64u /* at the lives of one place; so many at one time are in no true trace */
/* Programs have nothing here: executables, heap and libraries are below and above. Places have bit 47 (raw_trace.h). */
#define NUMBERS_FROM 0x100000000000u
#define NUMBERS_TO   0x500000000000u

static int by_number(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static int by_since(const void *a, const void *b)
{
  const struct module_life *x = a, *y = b;
  if (x->since != y->since)
    return x->since < y->since ? -1 : 1;
  if (x->seen != y->seen)
    return x->seen < y->seen ? -1 : 1;
  return x->module < y->module ? -1 : x->module > y->module;
}

/* Modules in the order of their places, empty ones left out. */
static bool make_slots(struct module_map *map, const struct module_range *modules, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    struct module_slot slot = {.start = modules[i].start, .end = modules[i].end, .module = i};
    if (slot.start < slot.end && !vector_push(&map->slots, slot))
      return false;
  }
  if (map->slots.count > 0)
    qsort(map->slots.items, map->slots.count, sizeof *map->slots.items, by_number);
  return true;
}

/* Takes those that need a time out of the slots: what shares a place with another one, and in doubt what does not
 * stay. */
static bool take_timed(struct module_map *map, const struct module_range *modules, module_slots *timed)
{
  struct module_slot *slots = map->slots.items;
  size_t kept = 0, count = map->slots.count;
  for (size_t i = 0, next; i < count; i = next) {
    uint64_t end = slots[i].end;
    for (next = i + 1; next < count && slots[next].start < end; next++)
      end = slots[next].end > end ? slots[next].end : end;
    for (size_t k = i; k < next; k++)
      if (next - i > 1 || modules[slots[k].module].timed ||
          (map->doubts.count > 0 && !modules[slots[k].module].stays)) {
        if (!vector_push(timed, slots[k]))
          return false;
      } else {
        slots[kept++] = slots[k];
      }
  }
  map->slots.count = kept;
  return true;
}

/* The first of so many numbers in a row at which no module of the process lies; 0: there is none. */
static uint64_t find_numbers(const struct module_map *map, uint64_t size)
{
  uint64_t from = NUMBERS_FROM;
  for (size_t i = 0; i < map->slots.count; i++)
    if (map->slots.items[i].start < NUMBERS_TO && map->slots.items[i].end > from) {
      if (map->slots.items[i].start > from && map->slots.items[i].start - from >= size)
        break;
      from = map->slots.items[i].end;
    }
  return from < NUMBERS_TO && NUMBERS_TO - from >= size ? from : 0;
}

/* Gives each of the modules numbers of its own. */
static bool number_timed(struct module_map *map, const module_slots *timed, uint32_t count)
{
  uint64_t size = 0;
  for (size_t i = 0; i < timed->count; i++) {
    uint64_t more = timed->items[i].end - timed->items[i].start;
    size = more > NUMBERS_TO - size ? NUMBERS_TO : size + more;
  }
  uint64_t next = find_numbers(map, size + 1);
  map->first_number = next;
  for (uint32_t i = 0; i < count; i++)
    if (!vector_push(&map->shifts, 0))
      return false;
  for (size_t i = 0; i < timed->count && map->first_number != 0; i++) {
    struct module_slot slot = timed->items[i];
    map->shifts.items[slot.module] = slot.shift = next - slot.start;
    slot.start = next;
    slot.end = next += timed->items[i].end - timed->items[i].start;
    if (!vector_push(&map->slots, slot))
      return false;
  }
  map->unknown = next;
  if (map->slots.count > 0)
    qsort(map->slots.items, map->slots.count, sizeof *map->slots.items, by_number);
  return true;
}

/* The borders of all modules cut memory into pieces. */
static bool make_pieces(struct module_map *map, const module_slots *timed)
{
  uint64_t *borders = calloc(2 * timed->count + 1, sizeof *borders);
  bool good = borders != NULL;
  for (size_t i = 0; good && i < timed->count; i++) {
    borders[2 * i] = timed->items[i].start;
    borders[2 * i + 1] = timed->items[i].end;
  }
  if (good)
    qsort(borders, 2 * timed->count, sizeof *borders, by_number);
  for (size_t i = 0; good && i < 2 * timed->count; i++)
    if (i == 0 || borders[i] != borders[i - 1])
      good = vector_push(&map->pieces, ((struct module_piece){.start = borders[i]}));
  free(borders);
  return good;
}

/* The piece that begins at a border, or has an address. */
static uint32_t piece_at(const struct module_map *map, uint64_t address)
{
  uint32_t low = 0, high = (uint32_t)map->pieces.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (map->pieces.items[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1; /* UINT32_MAX: it is before the first one */
}

/* Puts each life into the pieces that its module has. With too many layers there are none: nothing is known then. */
static bool make_layers(struct module_map *map, const struct module_range *modules, const struct module_life *lives,
                        size_t count)
{
  struct module_piece *pieces = map->pieces.items;
  uint64_t total = 0;
  for (size_t i = 0; i < count && total <= LAYERS_MAX; i++) {
    const struct module_range *range = &modules[lives[i].module];
    if (map->shifts.items[lives[i].module] == 0)
      continue;
    for (uint32_t k = piece_at(map, range->start); pieces[k].start < range->end && total <= LAYERS_MAX; k++, total++)
      pieces[k + 1].first++;
  }
  if (total > LAYERS_MAX) {
    map->pieces.count = 0;
    return true;
  }
  map->layers.items = calloc(total + 1, sizeof *map->layers.items);
  map->layers.count = map->layers.room = total;
  for (size_t k = 1; k < map->pieces.count; k++)
    pieces[k].first += pieces[k - 1].first;
  uint32_t *next = calloc(map->pieces.count + 1, sizeof *next);
  bool good = map->layers.items != NULL && next != NULL;
  for (size_t k = 0; good && k < map->pieces.count; k++)
    next[k] = pieces[k].first;
  for (size_t i = 0; good && i < count; i++) {
    const struct module_range *range = &modules[lives[i].module];
    if (map->shifts.items[lives[i].module] == 0)
      continue;
    for (uint32_t k = piece_at(map, range->start); pieces[k].start < range->end; k++) {
      uint64_t before = next[k] > pieces[k].first ? map->layers.items[next[k] - 1].latest_gone : 0;
      map->layers.items[next[k]++] =
          (struct module_layer){.life = lives[i], .latest_gone = lives[i].gone > before ? lives[i].gone : before};
    }
  }
  free(next);
  return good;
}

static bool make_times(struct module_map *map, const struct module_range *modules, uint32_t count,
                       const struct module_life *lives, size_t life_count, const module_slots *timed)
{
  bool good = number_timed(map, timed, count) && make_pieces(map, timed);
  struct module_life *sorted = calloc(life_count + 1, sizeof *sorted);
  good = good && sorted != NULL;
  if (good && life_count > 0) {
    memcpy(sorted, lives, life_count * sizeof *sorted);
    qsort(sorted, life_count, sizeof *sorted, by_since);
  }
  good = good && (map->first_number == 0 || make_layers(map, modules, sorted, life_count));
  free(sorted);
  for (uint32_t i = 0; good && i < count; i++)
    good = vector_push(&map->stay, modules[i].stays);
  return good;
}

bool module_map_make(struct module_map *map, const struct module_range *modules, uint32_t count,
                     const struct module_life *lives, size_t life_count, const struct module_doubt *doubts,
                     size_t doubt_count)
{
  module_slots timed = {0};
  *map = (struct module_map){0};
  bool good = true;
  for (size_t i = 0; good && i < doubt_count; i++)
    good = vector_push(&map->doubts, doubts[i]);
  good = good && make_slots(map, modules, count) && take_timed(map, modules, &timed);
  map->timed = timed.count > 0 || map->doubts.count > 0;
  if (good && map->timed)
    good = make_times(map, modules, count, lives, life_count, &timed);
  vector_free(&timed);
  return good;
}

void module_map_free(struct module_map *map)
{
  vector_free(&map->slots);
  vector_free(&map->shifts);
  vector_free(&map->pieces);
  vector_free(&map->layers);
  vector_free(&map->doubts);
  vector_free(&map->stay);
  *map = (struct module_map){0};
}

static bool in_doubt(const struct module_map *map, uint64_t ticks)
{
  size_t low = 0, high = map->doubts.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (map->doubts.items[middle].from < ticks)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && ticks < map->doubts.items[low - 1].to;
}

/* What is known so far of who was at a place at a time. */
struct finding {
  const struct module_life *sure, *possible;
  bool several; /* possible modules, and it is unknown which */
};

static void module_map_look_at(struct finding *finding, const struct module_life *life, uint64_t ticks)
{
  const struct module_life *other = finding->possible;
  if (life->seen <= ticks && ticks <= life->last) {
    if (finding->sure == NULL || finding->sure->seen < life->seen)
      finding->sure = life;
  } else if (life->since < ticks && ticks < life->gone) {
    /* Of those whose end was never seen, the one that came last is there. */
    bool both_stay = other != NULL && other->gone == UINT64_MAX && life->gone == UINT64_MAX && other->seen <= ticks &&
                     life->seen <= ticks && other->seen != life->seen;
    finding->several = finding->several || (other != NULL && other->module != life->module && !both_stay);
    if (other == NULL || other->seen < life->seen)
      finding->possible = life;
  }
}

/* The module that was in a piece at a time, or MODULE_MAP_UNKNOWN. */
static uint32_t module_then(const struct module_map *map, uint32_t piece, uint64_t ticks)
{
  struct finding finding = {0};
  uint32_t first = map->pieces.items[piece].first, low = first, high = map->pieces.items[piece + 1].first;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (map->layers.items[middle].life.since <= ticks)
      low = middle + 1;
    else
      high = middle;
  }
  for (unsigned looks = 0; low > first && map->layers.items[low - 1].latest_gone > ticks; low--) {
    if (looks++ == LOOKS_MAX)
      return MODULE_MAP_UNKNOWN;
    module_map_look_at(&finding, &map->layers.items[low - 1].life, ticks);
  }
  if (finding.sure == NULL && (finding.possible == NULL || finding.several))
    return MODULE_MAP_UNKNOWN;
  uint32_t module = (finding.sure != NULL ? finding.sure : finding.possible)->module;
  return in_doubt(map, ticks) && !map->stay.items[module] ? MODULE_MAP_UNKNOWN : module;
}

/* The slot that has a code; NULL: none. */
static const struct module_slot *slot_of(const struct module_map *map, uint64_t code)
{
  size_t low = 0, high = map->slots.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (map->slots.items[middle].start <= code)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && code < map->slots.items[low - 1].end ? &map->slots.items[low - 1] : NULL;
}

uint64_t module_map_code(const struct module_map *map, uint64_t ticks, uint64_t address)
{
  if (!map->timed)
    return address;
  /* Code at the address of a number would be taken for what the number stands for. */
  if (address >= map->first_number && address <= map->unknown)
    return map->unknown;
  if (slot_of(map, address) != NULL)
    return address;
  uint32_t piece = piece_at(map, address), module = MODULE_MAP_NONE;
  if (piece != UINT32_MAX && piece + 1 < map->pieces.count &&
      map->pieces.items[piece].first < map->pieces.items[piece + 1].first)
    module = module_then(map, piece, ticks);
  else if (in_doubt(map, ticks))
    module = MODULE_MAP_UNKNOWN;
  return module == MODULE_MAP_NONE      ? address
         : module == MODULE_MAP_UNKNOWN ? map->unknown
                                        : address + map->shifts.items[module];
}

uint32_t module_map_find(const struct module_map *map, uint64_t code, uint64_t *address)
{
  *address = code;
  if (map->timed && code == map->unknown)
    return MODULE_MAP_UNKNOWN;
  const struct module_slot *slot = slot_of(map, code);
  if (slot == NULL)
    return MODULE_MAP_NONE;
  *address = code - slot->shift;
  return slot->module;
}
