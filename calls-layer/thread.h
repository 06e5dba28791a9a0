/*
 * The calling thread's tree (common/raw/raw_calls.h), and where the thread is in it.
 *
 * While a hook works, and where the next hook has to look twice, `limit` is 0: a hook whose stack pointer is not below
 * it takes the slow path. In a child of fork, also of _Fork and a raw clone, all threads here are zero.
 */
#ifndef HEDDLE_CALLS_LAYER_THREAD_H
#define HEDDLE_CALLS_LAYER_THREAD_H

#include "calls-layer/calls.h"
#include "common/raw/raw_calls.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define THREAD_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define THREAD_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Of the stack, just above the return address of a hook. Stacks grow downwards. */
#if defined(__clang__)
#define THREAD_FRAME() ((uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *))
#else
#define THREAD_FRAME() ((uintptr_t)__builtin_dwarf_cfa())
#endif

struct calls_thread {
  uintptr_t limit; /* the frame of the current node, which all deeper frames are below; or 0 */
  struct raw_calls_node *current;
  uintptr_t busy;                 /* the frame of the hook that works; 0: none */
  uint64_t deep;                  /* calls without a node that have not returned */
  struct raw_calls_segment *head; /* the first segment; NULL: the thread has no tree */
  struct raw_calls_segment *segment;
  struct raw_calls_node **table; /* nodes by caller, function and site: 1 << table_bits places */
  uint32_t table_bits, nodes;
  uintptr_t block_number; /* of shadow.h: the part that was needed last ... */
  char *block;            /* ... and where it is */
  uintptr_t stack_end;    /* nothing of the thread's own stack is above */
  uintptr_t lossy;   /* of java.c: the outermost of the calls that are `deep` as the stack is nearly full; 0: none */
  bool no_more;      /* there is no room for further nodes */
  atomic_uint taken; /* life.c; last, for others look at it while the rest is cleared */
} __attribute__((aligned(64)));

extern __thread struct calls_thread *thread_self __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* What thread_self is at first, and once the thread has ended. */
extern struct calls_thread thread_new, thread_over;

/* The recorder; NULL: nothing is recorded. */
extern const struct heddle_calls_recorder *thread_recorder __attribute__((visibility("hidden")));
/* HEDDLE_CALLS=trace: each call is recorded, too. */
extern bool thread_traces __attribute__((visibility("hidden")));
/* Calls deeper than this have no node. */
extern uint32_t thread_depth;

#endif
