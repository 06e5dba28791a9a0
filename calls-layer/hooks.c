/*
 * What the compiler's -finstrument-functions calls as a function begins and before it returns. Between the two clock
 * readings of a call there is as little as possible: what the hooks take is the caller's time. Where the clock is not
 * one instruction, all hooks take the slow path.
 */
#include "calls-layer/hooks.h"

#include "calls-layer/filter.h"
#include "common/recorder/clock.h"

#define HOOK   __attribute__((visibility("default"), no_instrument_function))
#define INLINE __attribute__((always_inline)) static inline

bool hooks_look_closer;

HOOK void __cyg_profile_func_enter(void *function, void *site);
HOOK void __cyg_profile_func_exit(void *function, void *site);

INLINE void enter(uintptr_t function, uintptr_t site, uintptr_t frame, uintptr_t at, bool traced)
{
  struct calls_thread *self = thread_self;
  if (THREAD_LIKELY(frame < self->limit)) {
    struct raw_calls_node *child = (struct raw_calls_node *)self->current->last;
    if (THREAD_LIKELY(tree_is(child, function, site))) {
      hooks_begin(self, frame);
      child->site = site;
      child->frame = frame;
      child->at = at;
      self->current = child;
      child->begin = traced ? hooks_trace(RAW_CALL_ENTER, function) : clock_tsc();
      hooks_settle(self, frame);
      return;
    }
  }
  hooks_enter_slowly(function, site, frame, at);
}

/* A hook that is the function's last call, and returns to its caller, has the stack of the caller. */
INLINE bool is_where_it_was(const struct calls_thread *self, uintptr_t frame, bool tail)
{
  if (THREAD_LIKELY(frame <= self->limit))
    return true;
  return tail && self->limit != 0 && frame <= tree_parent(self->current)->frame;
}

INLINE void leave(uintptr_t function, uintptr_t site, uintptr_t frame, uintptr_t at, bool traced)
{
  uint64_t now = traced ? 0 : clock_tsc();
  struct calls_thread *self = thread_self;
  if (THREAD_LIKELY(is_where_it_was(self, frame, at == site) && self->current->function == function)) {
    hooks_begin(self, frame);
    if (traced)
      now = hooks_trace(RAW_CALL_LEAVE, function);
    hooks_settle(self, tree_return(self, now)->frame);
    return;
  }
  hooks_leave_slowly(function, site, frame, at);
}

/* Apart, so that where nothing is filtered or traced the hooks save no registers. */
#define APART __attribute__((noinline)) static

APART void enter_if_taken(uintptr_t function, uintptr_t site, uintptr_t frame, uintptr_t at)
{
  if (filter_is_on() && !filter_takes(function))
    return;
  if (thread_traces)
    enter(function, site, frame, at, true);
  else
    enter(function, site, frame, at, false);
}

APART void leave_if_taken(uintptr_t function, uintptr_t site, uintptr_t frame, uintptr_t at)
{
  if (filter_is_on() && !filter_takes(function))
    return;
  if (thread_traces)
    leave(function, site, frame, at, true);
  else
    leave(function, site, frame, at, false);
}

void __cyg_profile_func_enter(void *function, void *site)
{
  uintptr_t frame = THREAD_FRAME(), at = (uintptr_t)__builtin_return_address(0);
  if (THREAD_UNLIKELY(hooks_look_closer))
    enter_if_taken((uintptr_t)function, (uintptr_t)site, frame, at);
  else
    enter((uintptr_t)function, (uintptr_t)site, frame, at, false);
}

void __cyg_profile_func_exit(void *function, void *site)
{
  uintptr_t frame = THREAD_FRAME(), at = (uintptr_t)__builtin_return_address(0);
  if (THREAD_UNLIKELY(hooks_look_closer))
    leave_if_taken((uintptr_t)function, (uintptr_t)site, frame, at);
  else
    leave((uintptr_t)function, (uintptr_t)site, frame, at, false);
}
