/*
 * Call trees of threads (common/raw/raw_calls.h): the thread's position in its tree, nodes, and the begin and end of
 * trees.
 *
 * `limit` is 0 while a hook works, and whenever the next hook must take the slow path. A hook takes it if its stack
 * pointer is not below the limit. In a child of fork, also of _Fork and a raw clone, all threads here are zero.
 */
#ifndef HEDDLE_CALLS_LAYER_TREE_H
#define HEDDLE_CALLS_LAYER_TREE_H

#include "calls-layer/recorder_calls.h"
#include "common/raw/raw_calls.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THREAD_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define THREAD_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Address on the stack just above the hook's return address. Stacks grow downwards. */
#if defined(__clang__)
#define THREAD_FRAME() ((uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *))
#else
#define THREAD_FRAME() ((uintptr_t)__builtin_dwarf_cfa())
#endif

struct calls_thread {
  uintptr_t limit; /* the frame of the current node, below which all deeper frames are; or 0 */
  struct raw_calls_node *current;
  uintptr_t busy;                 /* the frame of the hook that works; 0: none */
  uint64_t deep;                  /* calls without a node that have not returned */
  struct raw_calls_segment *head; /* the first segment; NULL: the thread has no tree */
  struct raw_calls_segment *segment;
  struct raw_calls_node **table; /* nodes by caller, function and site: 1 << table_bits places */
  uint32_t table_bits, nodes;
  uintptr_t block_number; /* of shadow.h: the block that was needed last ... */
  char *block;            /* ... and its address */
  uintptr_t stack_end;    /* upper end of the thread's own stack */
  uintptr_t lossy;   /* of java.c: the outermost of the calls that are `deep` as the stack is nearly full; 0: none */
  bool no_more;      /* there is no room for further nodes */
  atomic_uint taken; /* enum in tree.c; last, because other threads read it while the rest is cleared */
} __attribute__((aligned(64)));

extern __thread struct calls_thread *thread_self __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* Values of thread_self at first, and after the thread's end. */
extern struct calls_thread thread_new, thread_over;

/* The recorder; NULL: nothing is recorded. */
extern const struct heddle_calls_recorder *thread_recorder __attribute__((visibility("hidden")));
/* HEDDLE_CALLS=trace: each call is recorded, too. */
extern bool thread_traces __attribute__((visibility("hidden")));
/* Calls deeper than this have no node. */
extern uint32_t thread_depth;

/* The functions tree_* are for the calling thread, while a hook works. */

static inline struct raw_calls_node *tree_parent(const struct raw_calls_node *node)
{
  return (struct raw_calls_node *)node->above;
}

static inline bool tree_is(const struct raw_calls_node *node, uintptr_t function, uintptr_t site)
{
  return node->function == function && (node->site == site || node->depth_and_flags & RAW_CALLS_ANY_SITE);
}

/*
 * Returns the node of a function that the current one calls, which is made if there is none. inlined: its code is part
 * of the current function's. NULL: no room.
 */
struct raw_calls_node *tree_call(struct calls_thread *thread, uintptr_t function, uintptr_t site, bool inlined);

/* Returns the node of a function that is not inlined; NULL: there is none yet. */
struct raw_calls_node *tree_find(struct calls_thread *thread, uintptr_t function, uintptr_t site);

/* Ends the current node's call at a time, and makes its caller current. */
static inline __attribute__((always_inline)) struct raw_calls_node *tree_return(struct calls_thread *thread,
                                                                                uint64_t now)
{
  struct raw_calls_node *node = thread->current, *parent = tree_parent(node);
  uint64_t ticks = now - node->begin;
  node->inclusive += ticks;
  if (ticks < node->shortest)
    node->shortest = ticks;
  if (ticks > node->longest)
    node->longest = ticks;
  node->durations[raw_calls_duration(ticks)]++;
  node->begin = 0;
  thread->head->newest = now;
  parent->children += ticks;
  thread->current = parent;
  return parent;
}

/* Reserves memory for all threads. False: out of memory. Once. */
bool life_prepare(void);
/* Makes an empty tree for the calling thread. NULL: the thread is not recorded, or out of memory. No lock; allocates
 * mappings only; errno is kept. The same holds for the next two. */
struct calls_thread *life_begin(void);
/* Completes and unmaps the calling thread's tree. */
void life_end(void);
/* Completes all trees, except for functions that are still running. At the process' end. */
void life_end_all(void);

#endif
