#include "analyzer/analyses/calls/key_sums.h"

#include <stdlib.h>

static uint64_t hash_of(const uint32_t key[KEY_NUMBERS])
{
  uint64_t hash = 0;
  for (unsigned i = 0; i < KEY_NUMBERS; i++)
    hash = hash_mix(hash ^ ((uint64_t)key[i] + 1));
  return hash;
}

/* Different keys may have one hash: then the next hash is tried. */
static struct key_sum *key_sums_find(struct key_sums *sums, const struct key_sum *wanted)
{
  for (uint64_t hash = hash_of(wanted->key);; hash = hash_mix(hash + 1)) {
    const uint64_t *at = hash_find(&sums->by_key, hash);
    if (at && memcmp(sums->items.items[*at].key, wanted->key, sizeof wanted->key) == 0)
      return &sums->items.items[*at];
    if (at)
      continue;
    struct key_sum fresh = {0};
    memcpy(fresh.key, wanted->key, sizeof fresh.key);
    if (!vector_push(&sums->items, fresh))
      return NULL;
    if (hash_add(&sums->by_key, hash, sums->items.count - 1))
      return &sums->items.items[sums->items.count - 1];
    sums->items.count--;
    return NULL;
  }
}

bool key_sums_add(struct key_sums *sums, const struct key_sum *more)
{
  struct key_sum *sum = key_sums_find(sums, more);
  for (unsigned i = 0; sum && i < KEY_VALUES; i++)
    sum->values[i] += more->values[i];
  return sum != NULL;
}

bool key_sums_merge(struct key_sums *into, const struct key_sums *from)
{
  for (size_t i = 0; i < from->items.count; i++)
    if (!key_sums_add(into, &from->items.items[i]))
      return false;
  return true;
}

static int key_sums_compare(const void *of_a, const void *of_b)
{
  const struct key_sum *a = of_a, *b = of_b;
  for (unsigned i = 0; i < KEY_NUMBERS; i++)
    if (a->key[i] != b->key[i])
      return a->key[i] < b->key[i] ? -1 : 1;
  return 0;
}

void key_sums_sort(struct key_sums *sums)
{
  hash_free(&sums->by_key);
  if (sums->items.count > 0)
    qsort(sums->items.items, sums->items.count, sizeof *sums->items.items, key_sums_compare);
}

void key_sums_free(struct key_sums *sums)
{
  vector_free(&sums->items);
  hash_free(&sums->by_key);
}
