#include "common/recorder/measured_groups.h"

#include "common/recorder/clock.h"

#define KNOWN 64u /* epochs; a power of two */

_Atomic uint64_t needs_word = LIVE_NEED_ALL;

static _Atomic uint64_t begun[KNOWN]; /* ticks, by epoch */
static _Atomic uint32_t rested;       /* the newest epoch in which nothing is measured */

bool needs_set(uint32_t mask)
{
  uint64_t now = atomic_load(&needs_word), next;
  do {
    if (needs_mask(now) == mask)
      return false;
    uint32_t epoch = needs_epoch(now) + 1;
    next = (uint64_t)epoch << 32 | mask;
    atomic_store(&begun[epoch % KNOWN], clock_ticks());
    if (mask == 0)
      atomic_store(&rested, epoch);
  } while (!atomic_compare_exchange_weak(&needs_word, &now, next));
  return true;
}

uint64_t needs_ended(uint32_t epoch)
{
  uint32_t newest = needs_epoch(atomic_load(&needs_word)), next = epoch + 1;
  if (newest - epoch >= KNOWN)
    next = newest - KNOWN + 1;
  return atomic_load(&begun[next % KNOWN]);
}

bool needs_paused_since(uint64_t word)
{
  return needs_mask(word) == 0 || (int32_t)(atomic_load(&rested) - needs_epoch(word)) > 0;
}
