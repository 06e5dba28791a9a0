/*
 * Return addresses of functions whose return is reported to us (entries.h): each is kept at a place that follows from
 * the address on the stack where the function has its own, in the memory of the whole process. So none is lost however
 * functions are left, on which thread a stack is used, and in children of fork; there is no stack of them that could
 * be out of step with the program's.
 *
 * Parts of it are made as they are needed, and stay. No lock; any thread, also in handlers; errno is kept.
 */
#ifndef HEDDLE_CALLS_LAYER_SHADOW_H
#define HEDDLE_CALLS_LAYER_SHADOW_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SHADOW_BLOCK_BITS 16 /* of stack that has its places in one part */
#define SHADOW_INNER_BITS 15
#define SHADOW_ROOT_BITS  16

typedef char *_Atomic shadow_inner[1 << SHADOW_INNER_BITS];

/* The parts by the highest bits of the stack's address, then by the next ones. trampoline.c describes it to unwinders,
 * too. */
extern shadow_inner *_Atomic shadow_root[1 << SHADOW_ROOT_BITS] __attribute__((visibility("hidden")));

/* The part for an address on a stack. NULL: there is none yet. */
static inline char *shadow_known(uintptr_t at)
{
  uintptr_t outer = at >> (SHADOW_BLOCK_BITS + SHADOW_INNER_BITS);
  shadow_inner *inner =
      outer < 1u << SHADOW_ROOT_BITS ? atomic_load_explicit(&shadow_root[outer], memory_order_acquire) : NULL;
  return inner ? atomic_load_explicit(&(*inner)[at >> SHADOW_BLOCK_BITS & ((1u << SHADOW_INNER_BITS) - 1)],
                                      memory_order_acquire)
               : NULL;
}

/* The same; makes one. NULL: there is no memory, or no such place on a stack. */
char *shadow_block(uintptr_t at);

/* The place in such a part. */
static inline uintptr_t *shadow_place(char *block, uintptr_t at)
{
  return (uintptr_t *)(block + (at & ((1u << SHADOW_BLOCK_BITS) - 1)));
}

#endif
