#include "otf2-convert/plan/module_map.h"

#include "common/raw/raw_record.h"
#include "common/raw/raw_trace.h"
#include "otf2-convert/text_fields.h"

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

/* Modules in the order of their places, without empty ones. */
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

/* Takes modules that need a time out of the slots: what shares a place with another one, and in doubt what does not
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

/* The module at a place and time, as far as known. */
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
    /* If no end was seen, the module that came last is there. */
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

/* Returns the word of a record that has a code; 0: its value, CODE_EXCHANGE_WORDS: none. */
static unsigned word_with_code(unsigned kind)
{
  switch (kind) {
  case RAW_PARALLEL_BEGIN:
  case RAW_WORK_BEGIN:
  case RAW_SECTION:
  case RAW_SYNC_BEGIN:
  case RAW_REDUCTION_BEGIN:
  case RAW_MASKED_BEGIN:
  case RAW_TASK_CREATE:
  case RAW_CANCEL:
  case RAW_FLUSH:
  case RAW_ERROR:
  case RAW_BARRIER_BEGIN:
  case RAW_OMITTED:
  case RAW_COUNTED:
  case RAW_PROFILE_ROW:
  case RAW_PROFILE_TEAM_ROW:
  case RAW_PROFILE_METRIC:
  case RAW_PTHREAD_WAIT:
  case RAW_PTHREAD_WAKE:
  case RAW_PTHREAD_OBJECT:
  case RAW_PTHREAD_COUNT:
  case RAW_PTHREAD_HELD:
  case RAW_PTHREAD_CREATE:
  case RAW_PTHREAD_START:
  case RAW_CALL_ENTER:
  case RAW_CALL_LEAVE:
    return 0;
  case RAW_MUTEX_ACQUIRE:
  case RAW_LOCK_INIT:
    return 2;
  default:
    return CODE_EXCHANGE_WORDS;
  }
}

const uint64_t *code_exchange_always(const struct module_map *map, const uint64_t *record,
                                     uint64_t copy[CODE_EXCHANGE_WORDS])
{
  unsigned kind = raw_kind_of(record[0]), word = word_with_code(kind), words = raw_record_words(record[0]);
  unsigned detail = raw_detail_of(record[0]);
  bool is_name = (kind == RAW_COUNTED && detail >= RAW_USER_ENTER) ||
                 (kind == RAW_PROFILE_METRIC && (detail >> 4 == RAW_METRIC_EVENT || detail >> 4 == RAW_METRIC_VALUE));
  if (word == CODE_EXCHANGE_WORDS || words > CODE_EXCHANGE_WORDS || is_name)
    return record;
  uint64_t code = record[word] & RAW_VALUE_MASK;
  if (code == 0 || (code & RAW_CODE_PLACE) != 0)
    return record;
  uint64_t exchanged = module_map_code(map, record[1], code);
  /* One record has several omitted instances: all must be of one library. */
  if (kind == RAW_OMITTED && module_map_code(map, record[2], code) != exchanged)
    exchanged = map->unknown;
  memcpy(copy, record, words * sizeof *copy);
  copy[word] = (record[word] & ~RAW_VALUE_MASK) | (exchanged & RAW_VALUE_MASK);
  return copy;
}

bool module_list_listing(struct module_list *list, char *value)
{
  struct module_listing listing = {.from = field_next_number(&value, 10)};
  listing.begun = field_next_number(&value, 10);
  listing.ended = field_next_number(&value, 10);
  char *known = field_next_word(&value);
  if (known == NULL || listing.begun < listing.from || listing.ended < listing.begun ||
      list->listings.count >= 2 * MODULE_LIST_MAX)
    return true;
  listing.seen = strcmp(known, "seen") == 0;
  listing.kind = listing.seen || strcmp(known, "told") == 0 ? MODULES_REPORTED
                 : known[0] >= '0' && known[0] <= '9'       ? MODULES_COUNTED
                                                            : MODULES_UNKNOWN;
  if (listing.kind == MODULES_COUNTED)
    listing.missed = field_next_number(&known, 10);
  list->some_went = list->some_went || listing.missed > 0;
  if (listing.seen && listing.from > 0) /* until it began, there was no code but of what was listed */
    listing.from = listing.begun;
  return vector_push(&list->listings, listing);
}

/* The number of a module that has this line; MODULE_MAP_NONE when memory is short. */
static uint32_t module_number(struct module_list *list, char *line)
{
  uint32_t number = string_table_number(&list->lines, line);
  if (number == STRING_TABLE_NONE || number < list->modules.count)
    return number == STRING_TABLE_NONE ? MODULE_MAP_NONE : number;
  char *base = field_next_word(&line), *start = field_next_word(&line), *end = field_next_word(&line),
       *id = field_next_word(&line);
  field_unescape(line);
  struct module module = {.base = field_next_number(&base, 16), .build_id = strdup(id), .path = strdup(line)};
  struct module_range range = {.start = field_next_number(&start, 16), .end = field_next_number(&end, 16)};
  if (module.build_id != NULL && module.path != NULL && vector_push(&list->modules, module))
    return vector_push(&list->ranges, range) && vector_push(&list->alive, MODULE_MAP_NONE) ? number : MODULE_MAP_NONE;
  free(module.build_id);
  free(module.path);
  return MODULE_MAP_NONE;
}

/* True if the line has base, start, end, build id and a path. */
static bool module_list_is_whole(const char *line)
{
  for (int i = 0; i < 4; i++) {
    line += strspn(line, " ");
    line += strcspn(line, " ");
  }
  return line[0] == ' ' && line[1] != 0;
}

/* The module was loaded; from here on it is until a line says that it was unloaded. */
static bool come(struct module_list *list, uint32_t number, uint64_t ticks)
{
  uint32_t *alive = &list->alive.items[number];
  if (*alive != MODULE_MAP_NONE)
    return true;
  const struct module_listing *listing = &list->listings.items[list->listings.count - 1];
  struct module_life life = {
      .module = number, .since = listing->from, .seen = listing->ended, .last = UINT64_MAX, .gone = UINT64_MAX};
  if (ticks == 0) {
    life.since = life.seen = 0;
    list->ranges.items[number].stays = true;
  }
  uint64_t start = list->ranges.items[number].start;
  if (!hash_put(&list->at, start, number))
    return false;
  *alive = (uint32_t)list->lives.count;
  return vector_push(&list->lives, life);
}

bool module_list_module(struct module_list *list, char *value)
{
  uint64_t ticks = field_next_number(&value, 10);
  value += strcspn(value, " "); /* of a number that is none */
  value += *value == ' ';
  if (!module_list_is_whole(value) || list->listings.count == 0)
    return true;
  if (list->lives.count >= MODULE_LIST_MAX) {
    list->ignored++;
    return true;
  }
  uint32_t number = module_number(list, value);
  return number != MODULE_MAP_NONE && come(list, number, ticks);
}

void module_list_gone(struct module_list *list, char *value)
{
  uint64_t *number = hash_find(&list->at, field_next_number(&value, 16));
  if (number == NULL || list->alive.items[*number] == MODULE_MAP_NONE)
    return;
  const struct module_listing *listing = &list->listings.items[list->listings.count - 1];
  struct module_life *life = &list->lives.items[list->alive.items[*number]];
  life->last = listing->from;
  life->gone = listing->ended;
  list->alive.items[*number] = MODULE_MAP_NONE;
  list->some_went = true;
}

typedef VECTOR(struct module_doubt) module_doubts;

/*
 * When libraries may have been loaded and unloaded unnoticed: between two listings that count loads, if the counts
 * differ. Also in and after listings that don't count. Only in a process that is known to unload libraries.
 */
static bool find_doubts(const struct module_list *list, module_doubts *doubts)
{
  uint64_t counted = 0, open = UINT64_MAX; /* begin of the last listing that counted; of what none has counted */
  bool good = true;
  for (size_t i = 0; good && i < list->listings.count; i++) {
    const struct module_listing *listing = &list->listings.items[i];
    bool known = listing->kind == MODULES_REPORTED || (listing->kind == MODULES_COUNTED && listing->missed == 0);
    if (!known && open == UINT64_MAX)
      open = listing->kind == MODULES_COUNTED ? counted : listing->from;
    if (listing->kind == MODULES_UNKNOWN)
      continue;
    /* dlclose's reports in between do not show what it failed to report before. */
    if (open != UINT64_MAX && !(listing->kind == MODULES_COUNTED && known))
      good = vector_push(doubts, ((struct module_doubt){.from = open, .to = listing->ended}));
    open = UINT64_MAX;
    counted = listing->begun;
  }
  bool reported = list->listings.count > 0 && list->listings.items[list->listings.count - 1].kind == MODULES_REPORTED;
  uint64_t rest = open != UINT64_MAX ? open : counted;
  return good && (reported || list->listings.count == 0 ||
                  vector_push(doubts, ((struct module_doubt){.from = rest, .to = UINT64_MAX})));
}

/* A module that took an unloaded one's place was listed at the unloading, or at the process' end, or before a record
 * had its code. Else the unloaded modules need times. */
static void find_timed(struct module_list *list, bool ended)
{
  if (ended || list->listings.count == 0 || list->listings.items[list->listings.count - 1].seen)
    return;
  for (size_t i = 0; i < list->ranges.count; i++)
    list->ranges.items[i].timed = list->alive.items[i] == MODULE_MAP_NONE;
}

bool module_list_finish(struct module_list *list, bool ended)
{
  module_doubts doubts = {0};
  find_timed(list, ended);
  bool good = (!list->some_went && ended) || find_doubts(list, &doubts);
  good = good && module_map_make(&list->map, list->ranges.items, (uint32_t)list->ranges.count, list->lives.items,
                                 list->lives.count, doubts.items, doubts.count);
  vector_free(&doubts);
  return good;
}

void module_list_free(struct module_list *list)
{
  for (size_t i = 0; i < list->modules.count; i++) {
    free(list->modules.items[i].path);
    free(list->modules.items[i].build_id);
  }
  vector_free(&list->modules);
  vector_free(&list->ranges);
  vector_free(&list->alive);
  vector_free(&list->lives);
  vector_free(&list->listings);
  string_table_free(&list->lines);
  hash_free(&list->at);
  module_map_free(&list->map);
}
