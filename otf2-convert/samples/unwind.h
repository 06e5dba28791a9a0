/*
 * From a sampled thread's registers and a copy of its stack to the return addresses of its functions, by the call frame
 * information of the modules (frame_rules.h); code without such information is taken to have frame pointers.
 *
 * One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_SAMPLES_UNWIND_H
#define HEDDLE_OTF2_CONVERT_SAMPLES_UNWIND_H

#include "otf2-convert/samples/frame_rules.h"

#include <stddef.h>

/* What the unwinder asks for. */
struct unwind_sources {
  void *context;
  /* The rules for an address of the process, which becomes one of the module's own. NULL: there are none; *code:
   * whether it is an address of a known module. */
  struct frame_rules *(*rules)(void *context, uint64_t *address, bool *code);
  /* The eight bytes at an address of the stack. False: they were not copied. */
  bool (*word)(void *context, uint64_t address, uint64_t *word);
};

struct unwind_registers {
  uint64_t of[FRAME_REGISTERS];
  uint32_t known; /* a bit each */
};

struct unwound {
  size_t depth;
  bool whole; /* false: further callers are not known */
};

/*
 * Fills in where each function is, the innermost first: addresses behind a call, or for one that did not call, behind
 * the first byte of its instruction. At most `most`, at least 1.
 */
struct unwound unwind(const struct unwind_sources *sources, struct unwind_registers registers, uint64_t *addresses,
                      size_t most);

#endif
