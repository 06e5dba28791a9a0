#include "common/recorder/cpu_affinity.h"

#include "common/budget/mix.h"
#include "common/raw/raw_trace.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* The machine's. Asking costs some microseconds, so it is done once. */
static long online(void)
{
  static atomic_long known;
  long count = atomic_load_explicit(&known, memory_order_relaxed);
  if (count == 0) {
    count = sysconf(_SC_NPROCESSORS_ONLN);
    atomic_store_explicit(&known, count, memory_order_relaxed);
  }
  return count;
}

unsigned cpu_affinity_record(struct recorder *self, uint64_t now, uint64_t *head,
                             uint64_t words[CPU_AFFINITY_WORDS - 1])
{
  cpu_set_t set;
  uint64_t sum = 0;
  unsigned sets = 0;
  /* On a machine with more processors than the set has this fails, and nothing is known. */
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 0;
  bool bound = CPU_COUNT(&set) < online();
  words[0] = now;
  for (unsigned i = 0; i < sizeof set / sizeof(uint64_t) && bound; i++) {
    uint64_t mask;
    memcpy(&mask, (const char *)&set + i * sizeof mask, sizeof mask);
    if (mask == 0)
      continue;
    bound = sets < CPU_AFFINITY_SETS;
    if (!bound)
      break;
    words[1 + 2 * sets] = 64u * i;
    words[2 + 2 * sets] = mask;
    sum = mix(sum ^ mask) + i;
    sets++;
  }
  sum = bound ? sum : 0;
  if (sum == self->bound)
    return 0;
  self->bound = sum;
  *head = raw_head(RAW_THREAD_BOUND, bound ? sets : 0, 0);
  return bound ? 2 + 2 * sets : 2;
}
