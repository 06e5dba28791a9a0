/*
 * Calls of functions that report their begin alone: code compiled with -pg -mfentry calls __fentry__ as a function
 * begins. Its return address on the stack is exchanged for that of trampoline.c, so that its return is reported, too;
 * the real one is in shadow.h. Unwinders, and so exceptions and cancellation, find it there by themselves.
 *
 * Code that calls such functions keeps more in registers than a call of C may change, so hooks and trampoline change
 * none. x86-64 alone.
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
  ENTRIES_PROTECTED, /* the processor compares return addresses: none can be exchanged */
  ENTRIES_SAMPLED    /* stacks are sampled, by who can't find the real ones */
};
extern enum entries_state entries_state __attribute__((visibility("hidden")));

/* Once, before the first call; sampled: somebody takes copies of stacks. */
void entries_begin(bool sampled);

/* Where functions return to. */
extern const char entries_trampoline[] __attribute__((visibility("hidden")));

/* Makes the function return to the trampoline. block: the slot's. */
static inline __attribute__((always_inline)) void entries_exchange(uintptr_t *slot, char *block)
{
  *shadow_place(block, (uintptr_t)slot) = *slot;
  atomic_signal_fence(memory_order_seq_cst); /* a handler may unwind from here */
  *slot = (uintptr_t)entries_trampoline;
}

/* What the trampoline calls: puts the real return address at the slot, which is just above this call's own. */
__attribute__((visibility("hidden"), no_caller_saved_registers)) void entries_returned(void);

/*
 * The hooks' slow paths. slot: where the function has its return address; at: the hook's. No vector register is used in
 * them, as in all that they call by itself (-mgeneral-regs-only).
 */
void entries_enter(uintptr_t *slot, uintptr_t at);
void entries_return(uintptr_t *slot);

#endif
