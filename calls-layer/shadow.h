/*
 * Shadow of the stacks: the real return addresses of functions whose return goes to the trampoline (entries.h), and the
 * trampoline. The place of an address follows from its slot on the stack, in memory of the whole process. Therefore
 * none is lost, however functions end, on whichever thread a stack is used, and in children of fork.
 *
 * Blocks are made when they are needed, and stay. No lock; any thread, also in signal handlers; errno is kept.
 */
#ifndef HEDDLE_CALLS_LAYER_SHADOW_H
#define HEDDLE_CALLS_LAYER_SHADOW_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SHADOW_BLOCK_BITS 16 /* bytes of stack in a block */
#define SHADOW_INNER_BITS 15
#define SHADOW_ROOT_BITS  16

typedef char *_Atomic shadow_inner[1 << SHADOW_INNER_BITS];

/* The blocks, by the highest bits of the stack's address, then by the next ones. The trampoline's CFI describes this to
 * unwinders, too. */
extern shadow_inner *_Atomic shadow_root[1 << SHADOW_ROOT_BITS] __attribute__((visibility("hidden")));

/* Returns the block of an address on a stack. NULL: there is none yet. */
static inline char *shadow_known(uintptr_t at)
{
  uintptr_t outer = at >> (SHADOW_BLOCK_BITS + SHADOW_INNER_BITS);
  shadow_inner *inner =
      outer < 1u << SHADOW_ROOT_BITS ? atomic_load_explicit(&shadow_root[outer], memory_order_acquire) : NULL;
  return inner ? atomic_load_explicit(&(*inner)[at >> SHADOW_BLOCK_BITS & ((1u << SHADOW_INNER_BITS) - 1)],
                                      memory_order_acquire)
               : NULL;
}

/* Returns the block, which is made if there is none. NULL: out of memory, or not an address of a stack. */
char *shadow_block(uintptr_t at);

/* Returns the place of a slot's real return address in its block. */
static inline uintptr_t *shadow_place(char *block, uintptr_t at)
{
  return (uintptr_t *)(block + (at & ((1u << SHADOW_BLOCK_BITS) - 1)));
}

#endif
