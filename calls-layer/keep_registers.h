/*
 * Calls of ordinary C functions from hooks that must not change vector registers (entries.h). The hooks themselves are
 * compiled without such registers.
 */
#ifndef HEDDLE_CALLS_LAYER_KEEP_REGISTERS_H
#define HEDDLE_CALLS_LAYER_KEEP_REGISTERS_H

#include <stdint.h>

/* Calls a function, and keeps the caller's vector registers. Returns the function's result. Any thread; takes up to 3
 * KiB of the stack. */
uintptr_t keep_registers_call(uintptr_t (*function)(uintptr_t a, uintptr_t b), uintptr_t a, uintptr_t b)
    __attribute__((visibility("hidden")));

/* Finds the processor's registers. Before the first call. */
void keep_registers_begin(void);

/* Bytes for x87, SSE, AVX and AVX-512 registers; compact: saved without gaps. 0 bytes: fxsave is used. */
extern uint32_t keep_registers_size, keep_registers_compact __attribute__((visibility("hidden")));

#endif
