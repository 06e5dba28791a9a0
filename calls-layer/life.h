/*
 * How trees of threads begin and end. No lock, no allocation but of mappings of our own; errno is kept.
 */
#ifndef HEDDLE_CALLS_LAYER_LIFE_H
#define HEDDLE_CALLS_LAYER_LIFE_H

#include "calls-layer/thread.h"

/* Once. False: there is no memory. */
bool life_prepare(void);
/* For a thread without a tree: makes an empty one. NULL: it has none. */
struct calls_thread *life_begin(void);
/* The calling thread's tree is whole, and is let go of. */
void life_end(void);
/* The process ends: its trees are whole, but for functions that run still. */
void life_end_all(void);

#endif
