/*
 * A hash table from 64-bit keys to 64-bit values: open addressing, deletion without tombstones. One writer, or many
 * readers.
 */
#ifndef HEDDLE_BASE_HASH_H
#define HEDDLE_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_entry {
  uint64_t key;
  uint64_t value;
  bool used;
};

struct hash {
  struct hash_entry *entries;
  size_t count, room; /* room is 0 or a power of 2 */
};

/* One multiplication: only the upper bits depend on all of the number. */
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

/* A key for a text, seeded. */
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

/* The value of a key, which must not be in the table yet; NULL when memory is short. Good until the next change of the
 * table. */
uint64_t *hash_add(struct hash *hash, uint64_t key, uint64_t value);
/* Adds the key, or replaces its value. False: memory is short. */
bool hash_put(struct hash *hash, uint64_t key, uint64_t value);
void hash_remove(struct hash *hash, uint64_t key);
void hash_free(struct hash *hash);

#endif
