/*
 * What the compiler's -pg -mfentry calls as a function begins, and what happens as it returns, where nothing is new.
 * No vector register is used here (-mgeneral-regs-only), and no other one is changed.
 */
#include "calls-layer/entries.h"

#if defined(__x86_64__)

#include "calls-layer/filter.h"
#include "calls-layer/hooks.h"
#include "calls-layer/shadow.h"
#include "common/recorder/clock.h"

#define INLINE __attribute__((always_inline)) static inline
#define KEEPS  __attribute__((no_caller_saved_registers))

__attribute__((visibility("default"))) KEEPS void __fentry__(void);

/* At the end of each function that changes no register: clang makes a jump of its last call, and restores registers
 * before, among which are the arguments. */
#define NO_JUMP() __asm__ volatile("")

/* Apart, so that where nothing is new, filtered or traced the hooks save few registers. */
#define APART __attribute__((noinline)) KEEPS static

APART void enter_slowly(uintptr_t *slot, uintptr_t at)
{
  entries_enter(slot, at);
  NO_JUMP();
}

APART void return_slowly(uintptr_t *slot)
{
  entries_return(slot);
  NO_JUMP();
}

/* As hooks_begin(), where the thread's block is that of the frame; else false. A handler on a stack of its own leaves
 * another block, but none that begins after hooks_begin() does, so the block is looked at after it. */
INLINE bool begin_near(struct calls_thread *self, uintptr_t frame)
{
  hooks_begin(self, frame);
  if (THREAD_LIKELY(self->block_number == frame >> SHADOW_BLOCK_BITS))
    return true;
  hooks_settle(self, self->current->frame);
  return false;
}

INLINE void enter(uintptr_t *slot, uintptr_t at, bool traced)
{
  struct calls_thread *self = thread_self;
  uintptr_t frame = (uintptr_t)slot, site = *slot;
  if (THREAD_LIKELY(frame < self->limit)) {
    struct raw_calls_node *child = (struct raw_calls_node *)self->current->last;
    if (THREAD_LIKELY(child->at == at && (child->site == site || child->depth_and_flags & RAW_CALLS_ANY_SITE) &&
                      site != (uintptr_t)entries_trampoline && begin_near(self, frame))) {
      child->site = site;
      child->frame = frame;
      entries_exchange(slot, self->block);
      self->current = child;
      child->begin = traced ? hooks_trace(RAW_CALL_ENTER, child->function) : clock_tsc();
      hooks_settle(self, frame);
      return;
    }
  }
  if (self != &thread_over)
    enter_slowly(slot, at);
}

APART void enter_if_taken(uintptr_t *slot, uintptr_t at)
{
  if (!filter_is_on() || filter_takes(at - 1)) {
    if (thread_traces)
      enter(slot, at, true);
    else
      enter(slot, at, false);
  }
  NO_JUMP();
}

void __fentry__(void)
{
  uintptr_t *slot = (uintptr_t *)THREAD_FRAME(), at = (uintptr_t)__builtin_return_address(0);
  if (THREAD_LIKELY(entries_state == ENTRIES_ON && !hooks_look_closer))
    enter(slot, at, false);
  else if (entries_state == ENTRIES_ON)
    enter_if_taken(slot, at);
  else if (entries_state != ENTRIES_OFF)
    enter_slowly(slot, at);
  NO_JUMP();
}

INLINE void end(uintptr_t *slot, uint64_t now, bool traced)
{
  struct calls_thread *self = thread_self;
  uintptr_t frame = (uintptr_t)slot;
  if (THREAD_LIKELY(self->limit == frame && tree_parent(self->current)->frame != frame && begin_near(self, frame))) {
    *slot = *shadow_place(self->block, frame);
    if (traced)
      now = hooks_trace(RAW_CALL_LEAVE, self->current->function);
    hooks_settle(self, tree_return(self, now)->frame);
    return;
  }
  return_slowly(slot);
}

APART void end_traced(uintptr_t *slot)
{
  end(slot, 0, true);
  NO_JUMP();
}

void entries_returned(void)
{
  uint64_t now = clock_tsc();
  uintptr_t *slot = (uintptr_t *)THREAD_FRAME();
  if (THREAD_UNLIKELY(thread_traces))
    end_traced(slot);
  else
    end(slot, now, false);
  NO_JUMP();
}

#endif
