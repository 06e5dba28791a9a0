/*
 * How a module's functions save the registers of their callers, by address: from its call frame information
 * (.eh_frame, .debug_frame), as libdw reads it. What is found is kept, so a place that many stacks have costs one
 * search.
 *
 * One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_SAMPLES_FRAME_RULES_H
#define HEDDLE_OTF2_CONVERT_SAMPLES_FRAME_RULES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
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
  FRAME_UNKNOWN,  /* lost, or what it is cannot be computed */
  FRAME_SAME,     /* the function has not changed it */
  FRAME_SAVED,    /* in memory at the canonical frame address + offset */
  FRAME_IS,       /* it is `base` + offset; base FRAME_REGISTERS: the canonical frame address */
  FRAME_SAVED_BY, /* in memory at the address that the expression has */
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
  bool known;     /* false: there is no information about this place */
  bool signal;    /* the caller was interrupted: its address is not one behind a call */
  bool outermost; /* nothing called it */
  struct frame_rule cfa;
  struct frame_rule of[FRAME_REGISTERS];
};

struct frame_rules;
/* Of a module, which must live as long. NULL: memory is short. */
struct frame_rules *frame_rules_open(Dwfl_Module *module);
/* The row of an address of the module's own; NULL: memory is short. Good until frame_rules_close. */
const struct frame_row *frame_rules_row(struct frame_rules *rules, uint64_t address);
void frame_rules_close(struct frame_rules *rules);

#endif
