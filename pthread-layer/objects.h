/*
 * Objects that threads wait for: the number of threads that wait for each, and the place where it was initialized. Any
 * thread, also in signal handlers; no lock, no allocation.
 *
 * The numbers of waiting threads are hashed by the object's address. If two objects share a number, a wake may be
 * recorded although no thread waits for it.
 *
 * An object's life begins where it is initialized. There is room for a limited number of lives; further objects are
 * treated as statically initialized. If one thread initializes an object while another uses it, behaviour is undefined
 * anyway.
 */
#ifndef HEDDLE_PTHREAD_LAYER_OBJECTS_H
#define HEDDLE_PTHREAD_LAYER_OBJECTS_H

#include "common/budget/mix.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define WAITING_BITS 12u
struct waiting {
  _Atomic uint64_t count;
  /* Thread and object of the last recorded release, since a wait began or ended. A thread may release and acquire a
   * lock many times before the waiting thread gets a processor. */
  _Atomic uintptr_t released;
};
extern struct waiting waiting_table[1u << WAITING_BITS];

static inline struct waiting *waiting_at(uintptr_t object)
{
  return &waiting_table[mix_upper(object) >> (64 - WAITING_BITS)];
}

static inline int waiting_for(uintptr_t object)
{
  return __builtin_expect(atomic_load_explicit(&waiting_at(object)->count, memory_order_relaxed) != 0, 0);
}

static inline void waiting_begin(uintptr_t object)
{
  atomic_fetch_add(&waiting_at(object)->count, 1);
  atomic_store_explicit(&waiting_at(object)->released, 0, memory_order_relaxed);
}

static inline void waiting_end(uintptr_t object)
{
  _Atomic uint64_t *count = &waiting_at(object)->count;
  uint64_t n = atomic_load(count);
  while (n != 0 && !atomic_compare_exchange_weak(count, &n, n - 1)) /* 0: a child of fork */
    ;
  atomic_store_explicit(&waiting_at(object)->released, 0, memory_order_relaxed);
}

/* True if a release by this thread is the first one since a wait began or ended. thread: a number unique to it. */
static inline int waiting_is_first(uintptr_t object, uintptr_t thread)
{
  _Atomic uintptr_t *released = &waiting_at(object)->released;
  uintptr_t mine = thread ^ object;
  if (atomic_load_explicit(released, memory_order_relaxed) == mine)
    return 0;
  atomic_store_explicit(released, mine, memory_order_relaxed);
  return 1;
}

/* Sets all numbers to 0, in a child of fork. */
void waiting_forget(void);

/* Begins an object's life at this code. kind: enum raw_pthread. */
void objects_init(unsigned kind, const void *object, uintptr_t code);
/* The same, if the life may have begun before. */
void objects_init_once(unsigned kind, const void *object, uintptr_t code);
/* Ends a life; records this if the object is in the trace. */
void objects_destroy(const void *object);
/* Records an object's life once, before a wait for it is recorded. kind: for an object that was not initialized. */
void objects_record(unsigned kind, const void *object);

#endif
