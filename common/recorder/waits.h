/*
 * Who wants to know when threads wait: the library of exact call graphs (calls-layer/), to tell the time in which a
 * function runs from that in which it waits. Tools that report waits tell it.
 */
#ifndef HEDDLE_COMMON_RECORDER_WAITS_H
#define HEDDLE_COMMON_RECORDER_WAITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Both are for the calling thread; no lock, no allocation. */
struct waits_watcher {
  void (*begin)(void); /* a wait begins; one that has begun already begins anew */
  void (*end)(void);   /* it ends; nothing if there is none */
};

/* NULL: nobody. It is set once, before there are threads. */
extern const struct waits_watcher *_Atomic waits_watcher __attribute__((visibility("hidden")));

static inline bool waits_are_watched(void)
{
  return atomic_load_explicit(&waits_watcher, memory_order_relaxed) != NULL;
}

static inline void waits_begin(void)
{
  const struct waits_watcher *watcher = atomic_load_explicit(&waits_watcher, memory_order_acquire);
  if (__builtin_expect(watcher != NULL, 0))
    watcher->begin();
}

static inline void waits_end(void)
{
  const struct waits_watcher *watcher = atomic_load_explicit(&waits_watcher, memory_order_acquire);
  if (__builtin_expect(watcher != NULL, 0))
    watcher->end();
}

#endif
