#include "common/wait_stacks.h"

#include "common/recording.h"
#include "common/stack_record.h"

/* No processor's counter is slower. */
#define SLOWEST_TICKS 8u /* in 10 ns */

atomic_uint_fast64_t wait_stacks_least = UINT64_MAX;

static struct {
  uint64_t ns;                           /* 0: none */
  uint64_t first_ticks, first_monotonic; /* from which the clock's rate is measured */
} wanted;

void wait_stacks_begin(uint64_t ns)
{
#if defined(STACK_RECORDS)
  struct clock_anchor now = clock_anchor_take(1);
  wanted.ns = ns;
  wanted.first_ticks = now.ticks;
  wanted.first_monotonic = now.monotonic_ns;
  atomic_store(&wait_stacks_least, ns == 0 ? UINT64_MAX : ns * SLOWEST_TICKS / 10);
#else
  (void)ns;
#endif
}

/* The time since the begin, of which the wait is a part, tells the clock's rate. */
static uint64_t ns_of(uint64_t ticks)
{
  uint64_t passed = clock_ticks() - wanted.first_ticks, ns = clock_monotonic_ns() - wanted.first_monotonic;
  return !clock_is_tsc || passed == 0 ? ticks : (uint64_t)((double)ticks * (double)ns / (double)passed);
}

__attribute__((noinline)) void wait_stacks_take(uint64_t from, uint64_t to)
{
  if (wanted.ns == 0 || from == RECORDER_NO_BASE || from >= to || recording_state() != RECORDING_OPEN ||
      ns_of(to - from) < wanted.ns)
    return;
  struct stack_record stack = {.kind = RAW_STACK_WAIT, .from = from, .to = to, .period = wanted.ns};
  stack_registers_here(&stack.at);
  stack_record_put(&stack);
}
