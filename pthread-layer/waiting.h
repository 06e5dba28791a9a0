/*
 * How many threads wait, by the object's address. Several objects may share a count: then a wake is recorded for which
 * nobody waits. Any thread, also in signal handlers.
 */
#ifndef HEDDLE_PTHREAD_LAYER_WAITING_H
#define HEDDLE_PTHREAD_LAYER_WAITING_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define WAITING_BITS 12u
extern _Atomic uint32_t waiting_counts[1u << WAITING_BITS];

static inline _Atomic uint32_t *waiting_count(uintptr_t object)
{
  return &waiting_counts[object * 0x9e3779b97f4a7c15ull >> (64 - WAITING_BITS)];
}

static inline int waiting_for(uintptr_t object)
{
  return __builtin_expect(atomic_load_explicit(waiting_count(object), memory_order_relaxed) != 0, 0);
}

/* The child of a fork has no thread that waits. */
void waiting_forget(void);

#endif
