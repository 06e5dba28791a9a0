/*
 * The calling thread's tree (common/raw/raw_calls.h), and where the thread is in it.
 *
 * While a hook works, and where the next hook has to look twice, `limit` is 0: a hook whose stack pointer is not below
 * it takes the slow path. In a child of fork, also of _Fork and a raw clone, all threads here are zero.
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

/* The memory of a thread's tree: segments of the file, and the table of its nodes. Mappings only; errno may change. */

/* Adds a segment for the next nodes, of so many bytes, to the tree of the thread with this number. */
bool memory_add_segment(struct calls_thread *thread, uint32_t number, size_t size);
/* Sets an empty table of 1 << bits places; that of before is let go. */
bool memory_set_table(struct calls_thread *thread, unsigned bits);
/* Lets go of all of it. */
void memory_let_go(struct calls_thread *thread);

/* The nodes of a thread's tree. The calling thread's, while a hook works. */

static inline struct raw_calls_node *tree_parent(const struct raw_calls_node *node)
{
  return (struct raw_calls_node *)node->above;
}

static inline bool tree_is(const struct raw_calls_node *node, uintptr_t function, uintptr_t site)
{
  return node->function == function && (node->site == site || node->depth_and_flags & RAW_CALLS_ANY_SITE);
}

/* Makes the tree's first node. */
void tree_begin(struct calls_thread *thread);

/*
 * The node of a function that the current one calls; a new one if need be. inlined: its code is part of the current
 * one's. NULL: there is no room for it.
 */
struct raw_calls_node *tree_call(struct calls_thread *thread, uintptr_t function, uintptr_t site, bool inlined);

/* The same, where it is no part of the current one's code: NULL also where it has none yet. */
struct raw_calls_node *tree_find(struct calls_thread *thread, uintptr_t function, uintptr_t site);

/* The current node's function returns, or was left, at a time: the caller is current. */
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

/*
 * How trees of threads begin and end. No lock, no allocation but of mappings of our own; errno is kept.
 */

/* Once. False: there is no memory. */
bool life_prepare(void);
/* For a thread without a tree: makes an empty one. NULL: it has none. */
struct calls_thread *life_begin(void);
/* The calling thread's tree is whole, and is let go of. */
void life_end(void);
/* The process ends: its trees are whole, but for functions that run still. */
void life_end_all(void);

#endif
