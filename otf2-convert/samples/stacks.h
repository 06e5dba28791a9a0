/*
 * Stacks of threads: those in a kernel's log (kernel_log.h), and copies that threads recorded themselves (RAW_STACK).
 *
 * The log may have gigabytes of stacks, so each is read when it is needed. One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_SAMPLES_STACKS_H
#define HEDDLE_OTF2_CONVERT_SAMPLES_STACKS_H

#include "common/raw/kernel_log.h"
#include "otf2-convert/scan/kernel_log.h"

#include <stdbool.h>
#include <stdint.h>

#define KERNEL_STACK_CACHED 256u /* blocks */

struct kernel_stack {
  bool is_copy;
  uint32_t count; /* number of addresses, or of bytes */
  union {
    uint64_t addresses[KERNEL_STACK_MOST];
    struct {
      uint64_t begin; /* the stack pointer */
      struct kernel_registers registers;
      uint32_t blocks[KERNEL_COPY_MOST / KERNEL_BLOCK_BYTES + 2];
    } copy;
  };
};

/* Cache of blocks, by number. */
struct kernel_blocks {
  struct kernel_block {
    const struct kernel_log *log; /* NULL: none */
    uint32_t number;
    unsigned char bytes[KERNEL_BLOCK_BYTES];
  } cached[KERNEL_STACK_CACHED];
};

/* Reads the stack with a number. False: there is none, or it cannot be read. */
bool kernel_stack_read(const struct kernel_log *log, uint32_t number, struct kernel_stack *stack);

/* Reads the eight bytes at an address of a copy. False: the copy does not have them. */
bool kernel_stack_word(const struct kernel_log *log, const struct kernel_stack *stack, struct kernel_blocks *blocks,
                       uint64_t address, uint64_t *word);

/*
 * Copies of stacks that threads recorded themselves, on their way from the scan to samples.h. One thread at a time per
 * location.
 */

struct location;

/* A stack at the end of a wait, or at the expiry of a timer. */
struct stack_note {
  bool waits;        /* end of a wait; else a timer of its processor time had expired */
  uint64_t from, to; /* ticks; they differ for a wait only */
  uint64_t time;     /* archive time; for a wait, before its end */
  uint64_t period;   /* ns; shorter waits were not recorded; not 0 */
  struct kernel_registers registers;
  struct stack_note *rest; /* its copy continues this one; held. NULL: none */
  uint32_t holders;
  uint32_t bytes; /* size of the copy, from the stack pointer on */
  unsigned char copy[];
};

/* Notes a record, unless it is damaged. time: archive time of the record. False: out of memory. */
bool stack_notes_scan(struct location *location, const uint64_t *record, uint64_t time);
/* Reads the eight bytes at an address of the stack. False: they were not copied. */
bool stack_note_word(const struct stack_note *note, uint64_t address, uint64_t *word);
/* NULL is allowed. */
void stack_note_release(struct stack_note *note);
/* Frees the notes that were not taken. */
void stack_notes_free(struct location *location);

#endif
