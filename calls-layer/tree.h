/* The nodes of a thread's tree. The calling thread's, while a hook works. */
#ifndef HEDDLE_CALLS_LAYER_TREE_H
#define HEDDLE_CALLS_LAYER_TREE_H

#include "calls-layer/thread.h"

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

#endif
