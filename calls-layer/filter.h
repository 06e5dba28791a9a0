/*
 * Filter of functions (HEDDLE_CALLS_ONLY): functions that begin in the listed ranges of addresses are recorded. `heddle
 * record --calls` finds the ranges (as in common/budget/keep.h). Other functions cost a look into a table.
 */
#ifndef HEDDLE_CALLS_LAYER_FILTER_H
#define HEDDLE_CALLS_LAYER_FILTER_H

#include "common/budget/mix.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILTER_BITS 13

/* Known functions: address << 1; bit 0: it is recorded. NULL: all functions are recorded. */
extern _Atomic uint64_t *filter_table __attribute__((visibility("hidden")));

/* Reads the list, for modules that are loaded now; NULL: all functions are recorded. Once, before the first call. */
void filter_begin(const char *list);

/* As filter_takes(), for a function that is not in the table. */
bool filter_look(uintptr_t function);

static inline bool filter_is_on(void)
{
  return filter_table != NULL;
}

/* True if the function is recorded. Only if filter_is_on(). */
static inline __attribute__((always_inline)) bool filter_takes(uintptr_t function)
{
  uint64_t known = atomic_load_explicit(&filter_table[mix_upper(function) >> (64 - FILTER_BITS)], memory_order_relaxed);
  if (__builtin_expect(known >> 1 == function, 1))
    return known & 1;
  return filter_look(function);
}

#endif
