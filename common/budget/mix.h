/* Spreads the bits of a number: for tables and seeds. */
#ifndef HEDDLE_COMMON_BUDGET_MIX_H
#define HEDDLE_COMMON_BUDGET_MIX_H

#include <stdint.h>

/* One multiplication: only the upper bits depend on all of the number. */
static inline uint64_t mix_upper(uint64_t x)
{
  return x * 0x9e3779b97f4a7c15ull;
}

static inline uint64_t mix(uint64_t x)
{
  x = mix_upper(x ^ x >> 32);
  return (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
}

#endif
