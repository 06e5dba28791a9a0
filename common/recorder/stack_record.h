/*
 * Stack records: the calling thread's registers and a copy of its stack (RAW_STACK), from which the converter finds the
 * callers. Taken at the end of long waits, and by a timer. x86-64 alone.
 *
 * Takes no lock, allocates nothing, keeps errno; may be called in signal handlers. Any stack will do: a coroutine's, a
 * handler's, or nearly none at all. Memory above it that cannot be read is not recorded: the kernel copies.
 */
#ifndef HEDDLE_COMMON_RECORDER_STACK_RECORD_H
#define HEDDLE_COMMON_RECORDER_STACK_RECORD_H

#include "common/raw/raw_trace.h"
#include "common/recorder/recorder.h"

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

/* Reads the registers of the function that calls it, which must not return before stack_record_put has. */
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

/*
 * HEDDLE_WAIT_STACKS: a wait that lasted for so long at least gets a record of where the thread is as it ends. It costs
 * some microseconds, so a thread has at most one in such a time, and loses next to nothing by it. The kernel could take
 * these samples, too (an event for each context switch), but not for users to whom it reports nothing of its code. It
 * does not know, either, which switch ends a wait.
 *
 * A wait of OpenMP begins with a record, and ends with the next one. Its length follows from the records, so shorter
 * waits cost a comparison. All calls are the waiting thread's.
 */

/* Ticks, perhaps fewer than the time that was asked for: wait_stacks_take decides; UINT64_MAX: no wait gets one. */
extern atomic_uint_fast64_t wait_stacks_least __attribute__((visibility("hidden")));

/* For the process, before there are records. ns: 0: none. */
void wait_stacks_begin(uint64_t ns);

static inline bool wait_stacks_are_wanted(void)
{
  return atomic_load_explicit(&wait_stacks_least, memory_order_relaxed) != UINT64_MAX;
}

/* A wait lasted from and to these ticks. */
void wait_stacks_take(uint64_t from, uint64_t to);

/* Before the record of a wait's end: when the newest record was made of a kind that has short ones. */
static inline uint64_t wait_stacks_before(void)
{
  const struct recorder *self = recorder_self;
  return (uintptr_t)self > (uintptr_t)RECORDER_NONE ? self->base : RECORDER_NO_BASE;
}

/* After it. */
static inline void wait_stacks_after(uint64_t before)
{
  const struct recorder *self = recorder_self;
  if (__builtin_expect((uintptr_t)self > (uintptr_t)RECORDER_NONE, 1) &&
      __builtin_expect(self->base - before >= atomic_load_explicit(&wait_stacks_least, memory_order_relaxed), 0))
    wait_stacks_take(before, self->base);
}

/*
 * HEDDLE_SAMPLE_TIMER: samples of the code that runs, where the kernel takes none for the user. Each thread that
 * records has a timer of its own processor time. It sends the thread a signal, whose handler records where the thread
 * is, and sets the timer anew. The next expiry is the next multiple of the period, so that the mean period is exact. A
 * program that takes the signal over gets at most one more for each thread.
 *
 * The signal is the highest real-time signal that has no handler when recording begins. One that no timer of ours has
 * sent does what it did before. Samples that could not be taken are counted, by reason.
 */

/* For the process, before there are records. ns: 0: none. A period shorter than the kernel's tick becomes one. */
void timer_samples_begin(uint64_t ns);
/* In a fork's child: nothing is counted yet. */
void timer_samples_forked(void);
/* Writes into the process file what was lost, if samples were wanted (raw_trace.h, timer-samples). */
void timer_samples_describe(void);

#endif
