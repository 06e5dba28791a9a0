/*
 * State of a thread in the layer: counts of its calls that did not wait, and the locks that it acquired after a
 * recorded wait. For the calling thread, unless stated otherwise; no lock, no allocation, and errno is kept.
 */
#ifndef HEDDLE_PTHREAD_LAYER_THREAD_SELF_H
#define HEDDLE_PTHREAD_LAYER_THREAD_SELF_H

#include "common/raw/raw_trace.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { THREAD_SELF_COUNTS = 32, THREAD_SELF_HELD = 16, THREAD_SELF_KINDS = 2 * (RAW_PTHREAD_FAILED) };

/* Calls at one place for one object that did not wait. */
struct thread_self_count {
  uintptr_t object, code; /* both 0: free. code: as thread_self_code() returns it */
  uint32_t count;
  uint8_t kind; /* enum raw_pthread, maybe with RAW_PTHREAD_FAILED; 0: a runtime's call, which does not count */
};

struct thread_self {
  atomic_uint taken;
  uint32_t held_count;
  uintptr_t held[THREAD_SELF_HELD]; /* acquired after a recorded wait */
  uint8_t held_kinds[THREAD_SELF_HELD];
  uint64_t several[THREAD_SELF_KINDS]; /* counts of replaced entries, by kind */
  struct thread_self_count counts[THREAD_SELF_COUNTS];
};

extern __thread struct thread_self *thread_self __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* Number of locks in `held`. */
extern __thread uint32_t thread_self_holds __attribute__((tls_model("initial-exec"), visibility("hidden")));

void thread_self_count_slowly(unsigned kind, uintptr_t object, uintptr_t code);

static inline unsigned thread_self_place(uintptr_t object, uintptr_t code)
{
  return (object >> 4 ^ object >> 10 ^ code) % THREAD_SELF_COUNTS;
}

/* Returns the code under which a call is counted: tries that fail have an entry of their own. */
static inline uintptr_t thread_self_code(unsigned kind, uintptr_t code)
{
  return kind & RAW_PTHREAD_FAILED ? ~code : code;
}

/* Counts a call that did not wait. */
static inline void thread_self_count(unsigned kind, const void *object, uintptr_t code)
{
  struct thread_self *self = thread_self;
  uintptr_t address = (uintptr_t)object, counted = thread_self_code(kind, code);
  if (__builtin_expect(self != NULL, 1)) {
    struct thread_self_count *entry = &self->counts[thread_self_place(address, counted)];
    if (__builtin_expect(entry->object == address && entry->code == counted, 1)) {
      entry->count++;
      return;
    }
  }
  thread_self_count_slowly(kind, address, code);
}

/* Records the calls that were counted for an object, before a wait for it. */
void thread_self_record_counts(uintptr_t object);

/* The thread acquired a lock after a wait; releases a lock. The release of any other lock does nothing. */
void thread_self_hold(unsigned kind, uintptr_t object);
void thread_self_release(uintptr_t object);

/* Reserves memory for threads, once. False: out of memory. */
bool thread_self_begin(void);
/* Forgets all threads, in a child of fork. */
void thread_self_forget(void);
/* Records what the thread counted, and that it can be joined now. At its end. */
void thread_self_end(void);
/* Records what all threads counted. At the process' end. */
void thread_self_end_all(void);
/* Marks the thread as one that the program made. */
void thread_self_made(void);

#endif
