/*
 * Hooks that must not change vector registers (entries.h) are compiled without them; this is how they call what isn't.
 */
#ifndef HEDDLE_CALLS_LAYER_KEEP_REGISTERS_H
#define HEDDLE_CALLS_LAYER_KEEP_REGISTERS_H

#include <stdint.h>

/* Calls a function that may change vector registers, of which the caller's stay; its result. Any thread; takes up to 3
 * KiB of the stack. */
uintptr_t keep_registers_call(uintptr_t (*function)(uintptr_t a, uintptr_t b), uintptr_t a, uintptr_t b)
    __attribute__((visibility("hidden")));

/* Before the first call: which registers there are. */
void keep_registers_begin(void);

/* Bytes for x87, SSE, AVX and AVX-512 registers, and whether without gaps; 0 bytes: as the oldest processors do. */
extern uint32_t keep_registers_size, keep_registers_compact __attribute__((visibility("hidden")));

#endif
