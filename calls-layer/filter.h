/*
 * Which functions are recorded (HEDDLE_CALLS_ONLY): those that begin in a range of addresses, which `heddle record
 * --calls` found (as in common/budget/keep.h). What is not in the list costs a look into a table.
 */
#ifndef HEDDLE_CALLS_LAYER_FILTER_H
#define HEDDLE_CALLS_LAYER_FILTER_H

#include "common/budget/mix.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILTER_BITS 13

/* The table of what is known: function << 1, and bit 0: it is taken. NULL: all functions are. */
extern _Atomic uint64_t *filter_table __attribute__((visibility("hidden")));

/* Takes the list; NULL: all functions are recorded. Once, before the first call; modules are those loaded now. */
void filter_begin(const char *list);

bool filter_look(uintptr_t function);

static inline bool filter_is_on(void)
{
  return filter_table != NULL;
}

/* Only if it is on. */
static inline __attribute__((always_inline)) bool filter_takes(uintptr_t function)
{
  uint64_t known = atomic_load_explicit(&filter_table[mix_upper(function) >> (64 - FILTER_BITS)], memory_order_relaxed);
  if (__builtin_expect(known >> 1 == function, 1))
    return known & 1;
  return filter_look(function);
}

#endif
