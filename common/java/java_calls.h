/*
 * Exact calls of Java methods: the agent reports them to the library of exact call graphs (calls-layer/). The library
 * adds them to the tree with the thread's native functions.
 */
#ifndef HEDDLE_COMMON_JAVA_JAVA_CALLS_H
#define HEDDLE_COMMON_JAVA_JAVA_CALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * method: its place (raw_trace.h, RAW_CODE_PLACE). at: an address in the hook's frame. All functions are for the
 * calling thread, which records; no lock, no allocation except mappings, errno is kept.
 */
struct java_calls {
  void (*call)(uint64_t method, uintptr_t at);
  /* The method returns, or an exception leaves it. */
  void (*leave)(uint64_t method, uintptr_t at);
  /* A callee of the method has ended, perhaps by an exception and without a report. */
  void (*caught)(uint64_t method, uintptr_t at);
  /* Instead of call: the stack is nearly full, so later hooks may fail. */
  void (*call_at_end)(uintptr_t at);
  /* Instead of call: the caller is a virtual thread, which has no tree. */
  void (*call_on_virtual)(void);
  /* The thread begins to record, perhaps again. */
  void (*begin)(void);
};

/* NULL: no calls are recorded. It is set once, before threads begin. */
extern const struct java_calls *_Atomic java_calls __attribute__((visibility("hidden")));

static inline const struct java_calls *java_calls_wanted(void)
{
  return atomic_load_explicit(&java_calls, memory_order_acquire);
}

#endif
