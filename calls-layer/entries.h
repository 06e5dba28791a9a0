/*
 * Hook of -pg -mfentry: functions call __fentry__ at their begin, and report no end. The hook exchanges the return
 * address on the stack for the address of a trampoline, which reports the end. The real address is in shadow.h.
 * Unwinders, and thus exceptions and cancellation, find it there by the trampoline's CFI; backtrace() and the like are
 * wrapped.
 *
 * Code that calls __fentry__ keeps values in registers that a C call may change. Therefore hook and trampoline change
 * no register. x86-64 alone.
 */
#ifndef HEDDLE_CALLS_LAYER_ENTRIES_H
#define HEDDLE_CALLS_LAYER_ENTRIES_H

#include "calls-layer/shadow.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum entries_state {
  ENTRIES_OFF,
  ENTRIES_ON,
  ENTRIES_PROTECTED, /* the processor checks return addresses (shadow stack): none can be exchanged */
  ENTRIES_SAMPLED    /* stacks are sampled, and the sampler cannot find the real addresses */
};
extern enum entries_state entries_state __attribute__((visibility("hidden")));

/* Begins to exchange. sampled: stacks are sampled. Once, before the first call. */
void entries_begin(bool sampled);

/* The trampoline's address. */
extern const char entries_trampoline[] __attribute__((visibility("hidden")));

/* Exchanges the return address at the slot. block: the slot's block of the shadow. */
static inline __attribute__((always_inline)) void entries_exchange(uintptr_t *slot, char *block)
{
  *shadow_place(block, (uintptr_t)slot) = *slot;
  atomic_signal_fence(memory_order_seq_cst); /* a handler may unwind from here */
  *slot = (uintptr_t)entries_trampoline;
}

/* Called by the trampoline: puts the real return address at the slot, just above this call's own. */
__attribute__((visibility("hidden"), no_caller_saved_registers)) void entries_returned(void);

/*
 * Slow paths of a call and of a return. slot: address of the function's return address; at: the hook's return address.
 * They use no vector register (-mgeneral-regs-only); other code is called by keep_registers_call().
 */
void entries_enter(uintptr_t *slot, uintptr_t at);
void entries_return(uintptr_t *slot);

#endif
