#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { HASH_LEAST = 8 }; /* entries: analyses keep many tables of a few keys */

static uint64_t *place(struct hash *hash, uint64_t key, uint64_t value)
{
  size_t i = hash_mix(key) & (hash->room - 1);
  while (hash->entries[i].used)
    i = (i + 1) & (hash->room - 1);
  hash->entries[i] = (struct hash_entry){.key = key, .value = value, .used = true};
  return &hash->entries[i].value;
}

static bool grow(struct hash *hash)
{
  struct hash larger = {.room = hash->room == 0 ? HASH_LEAST : 2 * hash->room};
  larger.entries = calloc(larger.room, sizeof *larger.entries);
  if (larger.entries == NULL)
    return false;
  for (size_t i = 0; i < hash->room; i++)
    if (hash->entries[i].used)
      place(&larger, hash->entries[i].key, hash->entries[i].value);
  larger.count = hash->count;
  free(hash->entries);
  *hash = larger;
  return true;
}

uint64_t *hash_add(struct hash *hash, uint64_t key, uint64_t value)
{
  if (hash->count >= hash->room / 2 && !grow(hash))
    return NULL;
  hash->count++;
  return place(hash, key, value);
}

bool hash_put(struct hash *hash, uint64_t key, uint64_t value)
{
  uint64_t *known = hash_find(hash, key);
  if (known)
    *known = value;
  return known || hash_add(hash, key, value);
}

void hash_remove(struct hash *hash, uint64_t key)
{
  uint64_t *value = hash_find(hash, key);
  if (value == NULL)
    return;
  size_t mask = hash->room - 1;
  size_t hole = (size_t)((struct hash_entry *)((char *)value - offsetof(struct hash_entry, value)) - hash->entries);
  /* Move back what was pushed past the hole. */
  for (size_t i = (hole + 1) & mask; hash->entries[i].used; i = (i + 1) & mask) {
    size_t home = hash_mix(hash->entries[i].key) & mask;
    if (((i - home) & mask) < ((i - hole) & mask))
      continue;
    hash->entries[hole] = hash->entries[i];
    hole = i;
  }
  hash->entries[hole].used = false;
  hash->count--;
}

void hash_free(struct hash *hash)
{
  free(hash->entries);
  *hash = (struct hash){0};
}

static struct hash_link *link_of(uint64_t value)
{
  return (struct hash_link *)(uintptr_t)value;
}

static uint64_t value_of(const struct hash_link *item)
{
  return (uint64_t)(uintptr_t)item;
}

struct hash_link *hash_chain_first(const struct hash *hash, uint64_t key)
{
  const uint64_t *first = hash_find(hash, key);
  return first ? link_of(*first) : NULL;
}

bool hash_chain_add(struct hash *hash, uint64_t key, struct hash_link *item)
{
  uint64_t *first = hash_find(hash, key);
  if (!first) {
    item->next = NULL;
    return hash_add(hash, key, value_of(item)) != NULL;
  }
  item->next = link_of(*first);
  *first = value_of(item);
  return true;
}

void hash_chain_remove(struct hash *hash, uint64_t key, const struct hash_link *item)
{
  uint64_t *first = hash_find(hash, key);
  struct hash_link *before = link_of(*first);
  if (before != item) {
    while (before->next != item)
      before = before->next;
    before->next = item->next;
  } else if (item->next) {
    *first = value_of(item->next);
  } else {
    hash_remove(hash, key);
  }
}

void *slots_find(const struct slots *slots, uint64_t key)
{
  const uint64_t *at = hash_find(&slots->by_key, key);
  return at ? slots->items + *at * slots->size : NULL;
}

/* One more slot at the end. */
static bool add_slot(struct slots *slots)
{
  if (slots->count == slots->room) {
    size_t room = slots->room ? 2 * slots->room : 16;
    unsigned char *more = reallocarray(slots->items, room, slots->size);
    if (!more)
      return false;
    slots->items = more;
    slots->room = room;
  }
  if (!vector_make_room(&slots->unused, slots->count + 1)) /* for all of them: to free one takes no memory */
    return false;
  slots->unused.items[slots->unused.count++] = slots->count++;
  return true;
}

bool slots_put(struct slots *slots, uint64_t key, const void *item)
{
  void *place = slots_find(slots, key);
  if (!place) {
    if (slots->unused.count == 0 && !add_slot(slots))
      return false;
    uint64_t at = slots->unused.items[slots->unused.count - 1];
    if (!hash_add(&slots->by_key, key, at))
      return false;
    slots->unused.count--;
    place = slots->items + at * slots->size;
  }
  memcpy(place, item, slots->size);
  return true;
}

bool slots_take(struct slots *slots, uint64_t key, void *item)
{
  const uint64_t *at = hash_find(&slots->by_key, key);
  if (!at)
    return false;
  memcpy(item, slots->items + *at * slots->size, slots->size);
  slots->unused.items[slots->unused.count++] = *at;
  hash_remove(&slots->by_key, key);
  return true;
}

void slots_free(struct slots *slots)
{
  free(slots->items);
  vector_free(&slots->unused);
  hash_free(&slots->by_key);
  *slots = (struct slots){.size = slots->size};
}

uint32_t string_table_number(struct string_table *table, const char *text)
{
  uint64_t key = hash_text(0, text), *known;
  for (; (known = hash_find(&table->numbers, key)) != NULL; key++)
    if (strcmp(table->items.items[*known], text) == 0)
      return (uint32_t)*known;
  char *copy = strdup(text);
  if (copy == NULL || !vector_push(&table->items, copy)) {
    free(copy);
    return STRING_TABLE_NONE;
  }
  if (hash_add(&table->numbers, key, table->items.count - 1) == NULL) {
    free(table->items.items[--table->items.count]);
    return STRING_TABLE_NONE;
  }
  return (uint32_t)(table->items.count - 1);
}

void string_table_free(struct string_table *table)
{
  for (size_t i = 0; i < table->items.count; i++)
    free(table->items.items[i]);
  vector_free(&table->items);
  hash_free(&table->numbers);
}
