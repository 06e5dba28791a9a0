/*
 * Hash tables from 64-bit keys to 64-bit values (struct hash). Others are built on them: chains of items with equal
 * keys, items of one size (struct slots), numbered strings (struct string_table). One writer, or many readers.
 */
#ifndef HEDDLE_BASE_HASH_H
#define HEDDLE_BASE_HASH_H

#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_entry {
  uint64_t key;
  uint64_t value;
  bool used;
};

/* Open addressing; removal leaves no tombstones. */
struct hash {
  struct hash_entry *entries;
  size_t count, room; /* room is 0 or a power of 2 */
};

/* One multiplication: only the upper bits depend on all bits of the number. */
static inline uint64_t hash_upper(uint64_t x)
{
  return x * 0x9e3779b97f4a7c15ull;
}

static inline uint64_t hash_mix(uint64_t x)
{
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ull;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ull;
  return x ^ x >> 32;
}

/*
 * The next number of splitmix64. It says which executions are simulated and what models draw: it stays when tables get
 * another hash.
 */
static inline uint64_t hash_draw(uint64_t *state)
{
  uint64_t x = *state += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

/* Returns a key for a text; `hash` is the seed. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
  for (; *text != 0; text++)
    hash = hash_mix(hash ^ (unsigned char)*text);
  return hash_mix(hash ^ 0x100);
}

static inline uint64_t *hash_find(const struct hash *hash, uint64_t key)
{
  if (hash->count == 0)
    return NULL;
  size_t i = hash_mix(key) & (hash->room - 1);
  for (; hash->entries[i].used; i = (i + 1) & (hash->room - 1))
    if (hash->entries[i].key == key)
      return &hash->entries[i].value;
  return NULL;
}

/* Adds a key that is not in the table, and returns its value; NULL: out of memory. Valid until the next change of the
 * table. */
uint64_t *hash_add(struct hash *hash, uint64_t key, uint64_t value);
/* Adds the key, or replaces its value. False: out of memory. */
bool hash_put(struct hash *hash, uint64_t key, uint64_t value);
void hash_remove(struct hash *hash, uint64_t key);
void hash_free(struct hash *hash);

/*
 * Chains: several items may have the same key. The caller owns the items; each begins with its link. The table's values
 * are the first links of the keys; hash_free() frees the table.
 */
struct hash_link {
  struct hash_link *next; /* of the same key; NULL: the last one */
};

/* Returns the newest item of a key; NULL: there is none. */
struct hash_link *hash_chain_first(const struct hash *hash, uint64_t key);

/* False: out of memory, and then nothing has changed. */
bool hash_chain_add(struct hash *hash, uint64_t key, struct hash_link *item);

/* Removes an item, which must be in the table with that key. */
void hash_chain_remove(struct hash *hash, uint64_t key, const struct hash_link *item);

/*
 * Slots: copies of items of one size, each with a key. Free slots are used again, so memory depends on the largest
 * number of items at a time.
 */
struct slots {
  size_t size; /* of an item; all else is zero at first */
  unsigned char *items;
  size_t count, room;
  VECTOR(uint64_t) unused;
  struct hash by_key;
};

/* Copies the item into the table; it replaces the key's former item. False: out of memory. */
bool slots_put(struct slots *slots, uint64_t key, const void *item);
/* Returns the item of a key; NULL: there is none. Valid until the next slots_put(). */
void *slots_find(const struct slots *slots, uint64_t key);
/* Copies the item of a key to `item`, and removes it from the table. False: there is none. */
bool slots_take(struct slots *slots, uint64_t key, void *item);
void slots_free(struct slots *slots);

/* Strings, stored once each and numbered from 0 in the order of addition. */
struct string_table {
  VECTOR(char *) items; /* by number; stay where they are until string_table_free */
  struct hash numbers;  /* hash of the text, or the next key that was free -> number */
};
#define STRING_TABLE_NONE UINT32_MAX

/* Returns the number of a text, and adds a copy of a new one; STRING_TABLE_NONE: out of memory. */
uint32_t string_table_number(struct string_table *table, const char *text);
void string_table_free(struct string_table *table);

#endif
