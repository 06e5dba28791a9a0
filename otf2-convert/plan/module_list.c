#include "otf2-convert/plan/module_list.h"

#include "otf2-convert/text_fields.h"

#include <string.h>

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

/* Whether base, start, end, build id and a path are there. */
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
    list->left_out++;
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
 * differ; in and after listings that don't count. Only in a process that is known to unload libraries.
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

/* A module that took an unloaded one's place was listed when that was unloaded, or at the process' end, or before a
 * record had its code. Else the unloaded modules need times. */
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
