#include "ompt-tool/agreement.h"

#include "common/budget/mix.h"
#include "common/process/reserved.h"

#include <stdatomic.h>
#include <stddef.h>

/*
 * A decision stays until so many further work-sharing constructs have begun: a thread that is so far behind decides for
 * itself. A power of two.
 */
#define DECISIONS 65536u

static atomic_uint_fast64_t *decisions; /* hash of team and instance | 1: it is recorded */

static uint64_t hash_of(uint64_t team, uint32_t instance)
{
  return mix(mix(team) + instance) | 1;
}

static atomic_uint_fast64_t *place_of(uint64_t team, uint32_t instance)
{
  return &decisions[(mix(team) + instance) % DECISIONS];
}

bool agreement_begin(void)
{
  if (!decisions)
    decisions = reserved_make(DECISIONS * sizeof *decisions);
  return decisions && reserved_use(decisions, DECISIONS * sizeof *decisions);
}

enum agreement agreement_of(uint64_t team, uint32_t instance)
{
  uint_fast64_t there = atomic_load_explicit(place_of(team, instance), memory_order_relaxed);
  if ((there | 1) != hash_of(team, instance))
    return AGREEMENT_OPEN;
  return there & 1 ? AGREEMENT_YES : AGREEMENT_NO;
}

bool agreement_decide(uint64_t team, uint32_t instance, bool recorded)
{
  uint64_t hash = hash_of(team, instance);
  atomic_uint_fast64_t *place = place_of(team, instance);
  uint_fast64_t there = atomic_load_explicit(place, memory_order_relaxed);
  if ((there | 1) == hash)
    return there & 1;
  if (atomic_compare_exchange_strong(place, &there, recorded ? hash : hash - 1) || (there | 1) != hash)
    return recorded;
  return there & 1;
}
