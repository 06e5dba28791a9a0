/*
 * The slow paths of the hooks (hooks.c): the thread's first call, and calls and returns that are not where the tree has
 * the thread. A function may have been left without a return: by longjmp, an exception, a switch to another stack. Its
 * node has the stack pointer that its hook had, so a hook that is not deeper shows that. Functions that the compiler
 * put into their callers have the same one; what tells them from one that was left is where their hooks are.
 */
#ifndef HEDDLE_CALLS_LAYER_HOOKS_H
#define HEDDLE_CALLS_LAYER_HOOKS_H

#include "calls-layer/tree.h"
#include "common/raw/raw_trace.h"

/* frame: THREAD_FRAME() of the hook; at: its return address. The hooks' last calls, so they save no registers. */
void hooks_enter_slowly(uintptr_t function, uintptr_t site, uintptr_t frame, uintptr_t at);
void hooks_leave_slowly(uintptr_t function, uintptr_t site, uintptr_t frame, uintptr_t at);

/*
 * For all slow paths: the calling thread's tree, in which no other hook works. NULL: it has none, or the call is
 * counted as skipped.
 */
struct calls_thread *hooks_thread(uintptr_t frame);
/* The current function returns; or it was left. Between hooks_begin() and hooks_settle(). */
void hooks_end(struct calls_thread *self, uint64_t now);
void hooks_leave(struct calls_thread *self, uint64_t now);

/* Functions are filtered, or each call is recorded. Set once, before the first call. */
extern bool hooks_look_closer __attribute__((visibility("hidden")));

/* The same where something is in the way. */
uint64_t hooks_trace_slowly(unsigned kind, uintptr_t function);

/* Records a call or return; the ticks of it. Vector registers stay. */
static inline uint64_t hooks_trace(unsigned kind, uintptr_t function)
{
  uint64_t now = thread_recorder->trace_quickly(kind, function);
  return THREAD_LIKELY(now != 0) ? now : hooks_trace_slowly(kind, function);
}

/* The thread is where its tree says. */
static inline __attribute__((always_inline)) void hooks_settle(struct calls_thread *self, uintptr_t limit)
{
  atomic_signal_fence(memory_order_seq_cst);
  self->busy = 0;
  self->limit = limit;
}

static inline __attribute__((always_inline)) void hooks_begin(struct calls_thread *self, uintptr_t frame)
{
  self->busy = frame;
  self->limit = 0;
  atomic_signal_fence(memory_order_seq_cst);
}

#endif
