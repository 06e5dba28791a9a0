/*
 * What the layer keeps of each thread: how often it got something without a wait, and which locks it got after one.
 * For the calling thread, unless said otherwise; no lock, no allocation, and errno is kept.
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
  uintptr_t object, code; /* both 0: free. code: as thread_self_code() has it */
  uint32_t count;
  uint8_t kind; /* enum raw_pthread, perhaps with RAW_PTHREAD_FAILED; 0: a runtime's, which do not count */
};

struct thread_self {
  atomic_uint taken;
  uint32_t held_count;
  uintptr_t held[THREAD_SELF_HELD]; /* got after a wait that is recorded */
  uint8_t held_kinds[THREAD_SELF_HELD];
  uint64_t several[THREAD_SELF_KINDS]; /* of entries that had to make way, by kind */
  struct thread_self_count counts[THREAD_SELF_COUNTS];
};

extern __thread struct thread_self *thread_self __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* How many locks the thread has in `held`. */
extern __thread uint32_t thread_self_holds __attribute__((tls_model("initial-exec"), visibility("hidden")));

void thread_self_count_slowly(unsigned kind, uintptr_t object, uintptr_t code);

static inline unsigned thread_self_place(uintptr_t object, uintptr_t code)
{
  return (object >> 4 ^ object >> 10 ^ code) % THREAD_SELF_COUNTS;
}

/* One place can have tries that succeed and tries that fail, which are counted apart. */
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

/* Tells the trace of the calls that were counted for an object, before a wait for it. */
void thread_self_tell(uintptr_t object);

/* The thread got a lock after a wait; releases it. A release of one that it did not get so does nothing. */
void thread_self_hold(unsigned kind, uintptr_t object);
void thread_self_release(uintptr_t object);

/* Makes room for threads, once. False: there is no memory. */
bool thread_self_begin(void);
/* In a child of fork: the calling thread is a new one. */
void thread_self_forget(void);
/* The thread ends: tells what it counted, and that it can be joined now. */
void thread_self_end(void);
/* The process ends: tells what all threads counted. */
void thread_self_end_all(void);
/* The thread is one that the program made. */
void thread_self_made(void);

#endif
