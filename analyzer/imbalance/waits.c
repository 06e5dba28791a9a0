#include "analyzer/imbalance/waits.h"

#include <stdlib.h>

/* Open addressing, at most half full; a slot with count 0 is free. */
struct waits {
  struct imbalance_wait *slots;
  size_t capacity, count;
};

struct waits *waits_create(void)
{
  struct waits *waits = calloc(1, sizeof *waits);
  if (!waits)
    return NULL;
  waits->capacity = 256;
  waits->slots = calloc(waits->capacity, sizeof *waits->slots);
  if (!waits->slots) {
    free(waits);
    return NULL;
  }
  return waits;
}

void waits_destroy(struct waits *waits)
{
  if (!waits)
    return;
  free(waits->slots);
  free(waits);
}

static struct imbalance_wait *find_slot(struct imbalance_wait *slots, size_t capacity, uint32_t region, uint32_t waiter,
                                        uint32_t last)
{
  uint64_t key = ((uint64_t)region << 32 | waiter) * 0x9e3779b97f4a7c15ull;
  key = (key ^ key >> 29 ^ last) * 0xbf58476d1ce4e5b9ull;
  size_t at = (size_t)(key >> 24) & (capacity - 1);
  while (slots[at].count > 0 && !(slots[at].region == region && slots[at].waiter == waiter && slots[at].last == last))
    at = (at + 1) & (capacity - 1);
  return &slots[at];
}

static bool grow(struct waits *waits)
{
  size_t capacity = 2 * waits->capacity;
  struct imbalance_wait *slots = calloc(capacity, sizeof *slots);
  if (!slots)
    return false;
  for (size_t i = 0; i < waits->capacity; i++) {
    const struct imbalance_wait *wait = &waits->slots[i];
    if (wait->count > 0)
      *find_slot(slots, capacity, wait->region, wait->waiter, wait->last) = *wait;
  }
  free(waits->slots);
  waits->slots = slots;
  waits->capacity = capacity;
  return true;
}

bool waits_add(struct waits *waits, uint32_t region, uint32_t waiter, uint32_t last, uint64_t ticks)
{
  if (2 * (waits->count + 1) > waits->capacity && !grow(waits))
    return false;
  struct imbalance_wait *wait = find_slot(waits->slots, waits->capacity, region, waiter, last);
  if (wait->count == 0) {
    *wait = (struct imbalance_wait){.region = region, .waiter = waiter, .last = last};
    waits->count++;
  }
  wait->count++;
  wait->ticks += ticks;
  return true;
}

bool waits_hand_over(const struct waits *waits, struct imbalance *imbalance)
{
  imbalance->waits = malloc((waits->count + 1) * sizeof *imbalance->waits);
  if (!imbalance->waits)
    return false;
  for (size_t i = 0; i < waits->capacity; i++) {
    if (waits->slots[i].count > 0)
      imbalance->waits[imbalance->wait_count++] = waits->slots[i];
  }
  waits_sort(imbalance);
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

void waits_sort(struct imbalance *imbalance)
{
  if (imbalance->wait_count > 0)
    qsort(imbalance->waits, imbalance->wait_count, sizeof *imbalance->waits, compare);
}
