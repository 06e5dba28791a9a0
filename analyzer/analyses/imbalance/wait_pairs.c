#include "analyzer/analyses/imbalance/wait_pairs.h"

#include "base/hash.h"

#include <stdlib.h>

/* The three numbers of a pair do not fit into a key: pairs with the same hash form a list. */
struct pair {
  struct imbalance_wait wait;
  size_t next; /* place in the list, counted from 1; 0: the last one */
};

struct wait_pairs {
  VECTOR(struct pair) list;
  struct hash places; /* of the hash's first pair, counted from 1 */
};

struct wait_pairs *wait_pairs_create(void)
{
  return calloc(1, sizeof(struct wait_pairs));
}

void wait_pairs_destroy(struct wait_pairs *pairs)
{
  if (!pairs)
    return;
  vector_free(&pairs->list);
  hash_free(&pairs->places);
  free(pairs);
}

/* The pair, perhaps a new one. NULL: out of memory. */
static struct imbalance_wait *wait_pairs_find(struct wait_pairs *pairs, uint32_t region, uint32_t waiter, uint32_t last)
{
  uint64_t key = hash_mix((uint64_t)region << 32 | waiter) ^ last;
  uint64_t *first = hash_find(&pairs->places, key);
  for (size_t at = first ? *first : 0; at > 0; at = pairs->list.items[at - 1].next) {
    struct imbalance_wait *wait = &pairs->list.items[at - 1].wait;
    if (wait->region == region && wait->waiter == waiter && wait->last == last)
      return wait;
  }
  struct pair pair = {{.region = region, .waiter = waiter, .last = last}, first ? *first : 0};
  if (!vector_push(&pairs->list, pair))
    return NULL;
  if (first)
    *first = pairs->list.count;
  else if (!hash_add(&pairs->places, key, pairs->list.count))
    return NULL;
  return &pairs->list.items[pairs->list.count - 1].wait;
}

bool wait_pairs_add(struct wait_pairs *pairs, uint32_t region, uint32_t waiter, uint32_t last, uint64_t ticks)
{
  struct imbalance_wait *wait = wait_pairs_find(pairs, region, waiter, last);
  if (!wait)
    return false;
  wait->count++;
  wait->ticks += ticks;
  return true;
}

static int compare(const void *a, const void *b)
{
  const struct imbalance_wait *left = a, *right = b;
  if (left->region != right->region)
    return left->region < right->region ? -1 : 1;
  if (left->waiter != right->waiter)
    return left->waiter < right->waiter ? -1 : 1;
  return (left->last > right->last) - (left->last < right->last);
}

/* By region, waiter and last. */
static void sort(struct imbalance *imbalance)
{
  if (imbalance->waits.count > 0)
    qsort(imbalance->waits.items, imbalance->waits.count, sizeof *imbalance->waits.items, compare);
}

bool wait_pairs_hand_over(const struct wait_pairs *pairs, struct imbalance *imbalance)
{
  for (size_t i = 0; i < pairs->list.count; i++)
    if (!vector_push(&imbalance->waits, pairs->list.items[i].wait))
      return false;
  sort(imbalance);
  return true;
}

bool wait_pairs_merge(struct imbalance *into, const struct imbalance *from)
{
  for (size_t i = 0; i < from->waits.count; i++)
    if (!vector_push(&into->waits, from->waits.items[i]))
      return false;
  sort(into);
  return true;
}
