#include "base/hash.h"

#include <stdlib.h>

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
  struct hash larger = {.room = hash->room == 0 ? 64 : 2 * hash->room};
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
