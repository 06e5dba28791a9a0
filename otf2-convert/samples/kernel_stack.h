/*
 * Stacks of sampled threads, as a kernel's log has them (kernel_log.h). They are read when they are wanted: the log may
 * have gigabytes of them.
 *
 * One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_SAMPLES_KERNEL_STACK_H
#define HEDDLE_OTF2_CONVERT_SAMPLES_KERNEL_STACK_H

#include "otf2-convert/scan/kernel_log.h"

#define KERNEL_STACK_CACHED 256u /* blocks */

struct kernel_stack {
  bool is_copy;
  uint32_t count; /* of addresses, or bytes */
  union {
    uint64_t addresses[KERNEL_STACK_MOST];
    struct {
      uint64_t begin; /* the stack pointer */
      struct kernel_registers registers;
      uint32_t blocks[KERNEL_COPY_MOST / KERNEL_BLOCK_BYTES + 2];
    } copy;
  };
};

/* Blocks that were read, by their numbers. */
struct kernel_blocks {
  struct kernel_block {
    const struct kernel_log *log; /* NULL: none */
    uint32_t number;
    unsigned char bytes[KERNEL_BLOCK_BYTES];
  } cached[KERNEL_STACK_CACHED];
};

/* The stack with a number. False: there is none, or it cannot be read. */
bool kernel_stack_read(const struct kernel_log *log, uint32_t number, struct kernel_stack *stack);

/* The eight bytes at an address of a copy. False: they are not in it. */
bool kernel_stack_word(const struct kernel_log *log, const struct kernel_stack *stack, struct kernel_blocks *blocks,
                       uint64_t address, uint64_t *word);

#endif
