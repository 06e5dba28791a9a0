#include "analyzer/analyses/locks/samples.h"

struct place_samples *lock_samples_of(struct lock_samples *samples, uint32_t location, uint32_t region)
{
  if (samples->last < samples->list.count) { /* several figures of one acquisition */
    struct place_samples *last = &samples->list.items[samples->last];
    if (last->location == location && last->region == region)
      return last;
  }
  uint64_t key = (uint64_t)location << 32 | region, *known = hash_find(&samples->index, key);
  if (known)
    return &samples->list.items[samples->last = *known];
  size_t at = samples->last = samples->list.count;
  if (!vector_push(&samples->list, ((struct place_samples){.location = location, .region = region})) ||
      !hash_add(&samples->index, key, at))
    return NULL;
  return &samples->list.items[at];
}

#define SURE_WAITS_A_SECOND 1000000 /* 1 us */

bool lock_samples_show_wait(const struct lock_samples *samples, uint64_t wait, uint64_t ticks_per_second)
{
  return samples->thinned && ticks_per_second > 0 &&
         wait >= (ticks_per_second + SURE_WAITS_A_SECOND - 1) / SURE_WAITS_A_SECOND;
}

void lock_samples_free(struct lock_samples *samples)
{
  vector_free(&samples->list);
  hash_free(&samples->index);
}
