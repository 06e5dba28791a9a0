/*
 * Copies of stacks that threads themselves recorded (RAW_STACK), on their way from the scan to samples.h.
 *
 * One thread at a time works on a location.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_STACK_NOTES_H
#define HEDDLE_OTF2_CONVERT_SCAN_STACK_NOTES_H

#include "common/raw/kernel_log.h"

#include <stdbool.h>
#include <stdint.h>

struct location;

/* Where a thread was. */
struct stack_note {
  bool waits;        /* at the end of a wait; else a timer of its processor time had expired */
  uint64_t from, to; /* ticks; of a wait from is smaller */
  uint64_t time;     /* archive time; of a wait one at which it was still waiting */
  uint64_t period;   /* ns; shorter waits were not recorded; not 0 */
  struct kernel_registers registers;
  struct stack_note *rest; /* has what follows the copy, up to where its own ends; held. NULL: nothing */
  uint32_t holders;
  uint32_t bytes; /* of the copy, from the stack pointer on */
  unsigned char copy[];
};

/* Notes a record, unless it is damaged. time: the archive's of the record. False: memory is short. */
bool stack_notes_scan(struct location *location, const uint64_t *record, uint64_t time);
/* The eight bytes at an address of the stack. False: they were not copied. */
bool stack_note_word(const struct stack_note *note, uint64_t address, uint64_t *word);
/* NULL is allowed. */
void stack_note_release(struct stack_note *note);
/* Those that nobody has taken. */
void stack_notes_free(struct location *location);

#endif
