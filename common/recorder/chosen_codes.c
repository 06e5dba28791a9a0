#include "common/recorder/chosen_codes.h"

#include "common/raw/live_control.h"

#include <stdatomic.h>

static _Atomic uint64_t set[LIVE_CODES];
static _Atomic uint32_t set_count;

void filter_codes_set(const uint64_t *codes, uint32_t count)
{
  if (count > LIVE_CODES)
    count = LIVE_CODES;
  for (uint32_t i = 0; i < count; i++)
    atomic_store_explicit(&set[i], __atomic_load_n(&codes[i], __ATOMIC_RELAXED), memory_order_relaxed);
  atomic_store(&set_count, count);
}

bool filter_codes_have(uint64_t code)
{
  uint32_t count = atomic_load_explicit(&set_count, memory_order_relaxed);
  for (uint32_t i = 0; i < count && code != 0; i++)
    if (atomic_load_explicit(&set[i], memory_order_relaxed) == code)
      return true;
  return false;
}
