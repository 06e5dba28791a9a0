#include "jvmti-agent/sample_table.h"

#include <stdbool.h>

/* Whether the place is the caller's, perhaps from now on. */
static bool is_of(struct live_sampled *place, uint64_t who)
{
  uint64_t now = __atomic_load_n(&place->who, __ATOMIC_RELAXED);
  return now == who ||
         (now == 0 && (__atomic_compare_exchange_n(&place->who, &now, who, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
                       now == who));
}

void sample_table_add(struct live_samples *samples, uint32_t thread, uint32_t call)
{
  if (thread >= LIVE_THREADS)
    return;
  uint64_t who = (uint64_t)thread << 32 | call, *count = &samples->without_room[thread];
  for (uint32_t i = 0; call != 0 && i < LIVE_SAMPLED_NEAR; i++) {
    struct live_sampled *place = &samples->places[live_sampled_at(who, i)];
    if (!is_of(place, who))
      continue;
    count = &place->count;
    break;
  }
  __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}
