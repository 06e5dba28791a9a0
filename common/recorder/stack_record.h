/*
 * Where the calling thread is: its registers and a copy of its stack as a record (RAW_STACK), from which the converter
 * finds the callers. x86-64 alone.
 *
 * Takes no lock, allocates nothing, keeps errno; may be called in signal handlers. The stack may be any: of a
 * coroutine, of a handler, or nearly none at all. Memory above it that cannot be read is left out: the kernel copies.
 */
#ifndef HEDDLE_COMMON_RECORDER_STACK_RECORD_H
#define HEDDLE_COMMON_RECORDER_STACK_RECORD_H

#include "common/raw/raw_trace.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#define STACK_RECORDS 1
#endif

/* In the order of the record. */
struct stack_registers {
  uint64_t bx, bp, sp, ip, r10, r12, r13, r14, r15;
};

struct stack_record {
  enum raw_stack kind;
  uint64_t from, to; /* ticks */
  uint64_t period;   /* ns */
  struct stack_registers at;
};

/* False: it was not recorded. The stack from at.sp on must not change meanwhile. */
bool stack_record_put(const struct stack_record *stack);

/* Those of the function that calls it, which must not return before stack_record_put has. */
static inline __attribute__((always_inline)) void stack_registers_here(struct stack_registers *at)
{
#if defined(STACK_RECORDS)
  __asm__ volatile("movq %%rbx, 0(%0)\n\t"
                   "movq %%rbp, 8(%0)\n\t"
                   "movq %%rsp, 16(%0)\n\t"
                   "leaq 0(%%rip), %%rax\n\t"
                   "movq %%rax, 24(%0)\n\t"
                   "movq %%r10, 32(%0)\n\t"
                   "movq %%r12, 40(%0)\n\t"
                   "movq %%r13, 48(%0)\n\t"
                   "movq %%r14, 56(%0)\n\t"
                   "movq %%r15, 64(%0)"
                   :
                   : "r"(at)
                   : "rax", "memory");
#else
  *at = (struct stack_registers){0};
#endif
}

#endif
