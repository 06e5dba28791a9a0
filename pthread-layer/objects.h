/*
 * How many threads wait, by the object's address. Several objects may share a count: then a wake is recorded for which
 * nobody waits. Any thread, also in signal handlers.
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
  /*
   * Who recorded a release, and of what, since a wait began or ended: a thread may release and take a lock many times
   * before one that waits for it has a processor.
   */
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

/* Whether a release by this thread is the first one since a wait began or ended; thread: any number of its own. */
static inline int waiting_is_first(uintptr_t object, uintptr_t thread)
{
  _Atomic uintptr_t *released = &waiting_at(object)->released;
  uintptr_t mine = thread ^ object;
  if (atomic_load_explicit(released, memory_order_relaxed) == mine)
    return 0;
  atomic_store_explicit(released, mine, memory_order_relaxed);
  return 1;
}

/* The child of a fork has no thread that waits. */
void waiting_forget(void);

/*
 * The lives of objects: where each was initialized, which one it is of those that this code initialized, and whether
 * the trace tells of it already. As many as there is room for; others are as if they had a static initializer.
 *
 * Any thread, no lock, no allocation; a program that initializes an object while another thread uses it gets
 * undefined behaviour anyway.
 */

/* A life begins, at this code. kind: enum raw_pthread. */
void objects_init(unsigned kind, const void *object, uintptr_t code);
/* The same where it may have begun before. */
void objects_init_once(unsigned kind, const void *object, uintptr_t code);
/* It ends; the trace gets to know of that if it knows of the object. */
void objects_destroy(const void *object);
/* Before a wait for it is recorded: tells the trace of this life, once. kind: where it was not initialized. */
void objects_tell(unsigned kind, const void *object);

#endif
