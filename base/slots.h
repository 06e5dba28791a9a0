/*
 * Items of one size, each under a 64-bit key, as long as it is kept: slots that became free are used again, so memory
 * follows the most items at a time. One thread at a time.
 */
#ifndef HEDDLE_BASE_SLOTS_H
#define HEDDLE_BASE_SLOTS_H

#include "base/hash.h"
#include "base/vector.h"

struct slots {
  size_t size; /* of an item; all else is zero at first */
  unsigned char *items;
  size_t count, room;
  VECTOR(uint64_t) unused;
  struct hash by_key;
};

/* Copies the item, in place of the one under the key. False: no memory. */
bool slots_put(struct slots *slots, uint64_t key, const void *item);
/* NULL: there is none. Good until the next slots_put(). */
void *slots_find(const struct slots *slots, uint64_t key);
/* Copies the item, and keeps it no longer. False: there is none. */
bool slots_take(struct slots *slots, uint64_t key, void *item);
void slots_free(struct slots *slots);

#endif
