/*
 * Hooks of -finstrument-functions: parts that all hooks share, and their slow paths (hooks_slow_path.c).
 *
 * A slow path is a thread's first call, or a call or return that does not fit the tree. A function may have ended
 * without a return: by longjmp, an exception, or a switch to another stack. Its node has the stack pointer of its hook,
 * so a later hook that is not deeper shows that. Inlined functions have the stack pointer of their callers; the
 * addresses of their hooks distinguish them.
 */
#ifndef HEDDLE_CALLS_LAYER_HOOKS_H
#define HEDDLE_CALLS_LAYER_HOOKS_H

#include "calls-layer/tree.h"
#include "common/raw/raw_trace.h"

/* Slow paths of a call and of a return. frame: THREAD_FRAME() of the hook; at: its return address. The hooks call them
 * last, so that they save no registers. */
void hooks_enter_slowly(uintptr_t function, uintptr_t site, uintptr_t frame, uintptr_t at);
void hooks_leave_slowly(uintptr_t function, uintptr_t site, uintptr_t frame, uintptr_t at);

/*
 * Returns the calling thread's tree, for slow paths; no other hook works in it. NULL: the thread has none, or the call
 * is counted as lost.
 */
struct calls_thread *hooks_thread(uintptr_t frame);
/* The current function returns; has ended without a return. Between hooks_begin() and hooks_settle(). */
void hooks_end(struct calls_thread *self, uint64_t now);
void hooks_leave(struct calls_thread *self, uint64_t now);

/* True if functions are filtered, or if each call is recorded. Set once, before the first call. */
extern bool hooks_look_closer __attribute__((visibility("hidden")));

/* As hooks_trace(), if the quick way failed. */
uint64_t hooks_trace_slowly(unsigned kind, uintptr_t function);

/* Records a call or return, and returns its ticks. Keeps vector registers. */
static inline uint64_t hooks_trace(unsigned kind, uintptr_t function)
{
  uint64_t now = thread_recorder->trace_quickly(kind, function);
  return THREAD_LIKELY(now != 0) ? now : hooks_trace_slowly(kind, function);
}

/* The tree is right again; the next hooks may take the quick path. */
static inline __attribute__((always_inline)) void hooks_settle(struct calls_thread *self, uintptr_t limit)
{
  atomic_signal_fence(memory_order_seq_cst);
  self->busy = 0;
  self->limit = limit;
}

/* The tree is about to change: hooks of signal handlers take the slow path. */
static inline __attribute__((always_inline)) void hooks_begin(struct calls_thread *self, uintptr_t frame)
{
  self->busy = frame;
  self->limit = 0;
  atomic_signal_fence(memory_order_seq_cst);
}

#endif
