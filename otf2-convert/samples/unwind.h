/*
 * Unwinder: from a sampled thread's registers and a copy of its stack to the return addresses of its functions. It uses
 * the call frame information of the modules (.eh_frame, .debug_frame). Code without it is assumed to have frame
 * pointers.
 *
 * One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_SAMPLES_UNWIND_H
#define HEDDLE_OTF2_CONVERT_SAMPLES_UNWIND_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers by their DWARF numbers on x86-64. */
enum {
  FRAME_BX = 3,
  FRAME_BP = 6,
  FRAME_SP = 7,
  FRAME_R10 = 10,
  FRAME_R12 = 12,
  FRAME_R13 = 13,
  FRAME_R14 = 14,
  FRAME_R15 = 15,
  FRAME_PC = 16, /* of a caller: the return address */
  FRAME_REGISTERS
};

enum frame_how {
  FRAME_UNKNOWN,  /* lost, or it cannot be computed */
  FRAME_SAME,     /* the function has not changed it */
  FRAME_SAVED,    /* in memory at the canonical frame address + offset */
  FRAME_IS,       /* it is `base` + offset; base FRAME_REGISTERS: the canonical frame address */
  FRAME_SAVED_BY, /* in memory at the value of the expression */
  FRAME_IS_BY     /* the expression's value */
};

struct frame_rule {
  enum frame_how how;
  uint8_t base;
  int64_t offset;
  const Dwarf_Op *expression;
  size_t operations;
};

struct frame_row {
  bool known;     /* false: there is no information about this address */
  bool signal;    /* the caller was interrupted: its address does not follow a call */
  bool outermost; /* it has no caller */
  struct frame_rule cfa;
  struct frame_rule of[FRAME_REGISTERS];
};

struct frame_rules;
/* Opens the rules of a module, which must live as long. libdw reads them; each row is kept, so an address of many
 * stacks costs one search. NULL: out of memory. */
struct frame_rules *frame_rules_open(Dwfl_Module *module);
/* Returns the row of one of the module's own addresses; NULL: out of memory. Valid until frame_rules_close(). */
const struct frame_row *frame_rules_row(struct frame_rules *rules, uint64_t address);
void frame_rules_close(struct frame_rules *rules);

/* Callbacks of the unwinder. */
struct unwind_sources {
  void *context;
  /* Returns the rules for an address of the process, which becomes one of the module's own. NULL: there are none.
   * *code: true if a known module has the address. */
  struct frame_rules *(*rules)(void *context, uint64_t *address, bool *code);
  /* Reads the eight bytes at an address of the stack. False: they were not copied. */
  bool (*word)(void *context, uint64_t address, uint64_t *word);
};

struct unwind_registers {
  uint64_t of[FRAME_REGISTERS];
  uint32_t known; /* a bit each */
};

struct unwound {
  size_t depth;
  bool whole; /* false: further callers are unknown */
};

/*
 * Finds the address of each function, innermost first: its return address, or 1 + the address of its instruction if it
 * did not call. Fills in at least 1 and at most `most` addresses.
 */
struct unwound unwind(const struct unwind_sources *sources, struct unwind_registers registers, uint64_t *addresses,
                      size_t most);

#endif
