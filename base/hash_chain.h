/*
 * A hash table (hash.h) of items of which several may have the same key. Items are the caller's; each begins with its
 * link. The table's values are the first links of the keys, so it is freed with hash_free().
 */
#ifndef HEDDLE_BASE_HASH_CHAIN_H
#define HEDDLE_BASE_HASH_CHAIN_H

#include "base/hash.h"

struct hash_link {
  struct hash_link *next; /* of the same key; NULL: the last one */
};

/* The first item of a key, which is the newest one. NULL: there is none. */
struct hash_link *hash_chain_first(const struct hash *hash, uint64_t key);

/* False: out of memory, and then nothing has changed. */
bool hash_chain_add(struct hash *hash, uint64_t key, struct hash_link *item);

/* Removes an item that is there under that key. */
void hash_chain_remove(struct hash *hash, uint64_t key, const struct hash_link *item);

#endif
