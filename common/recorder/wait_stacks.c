#include "common/recorder/wait_stacks.h"

#include "common/recorder/recording.h"
#include "common/recorder/stack_record.h"

/* No processor's counter is slower. */
#define SLOWEST_TICKS 8u /* in 10 ns */

atomic_uint_fast64_t wait_stacks_least = UINT64_MAX;

static uint64_t wanted; /* ns; 0: none */

void wait_stacks_begin(uint64_t ns)
{
#if defined(STACK_RECORDS)
  struct clock_anchor now = clock_anchor_take(1);
  clock_learn_rate(&now);
  wanted = ns;
  atomic_store(&wait_stacks_least, ns == 0 ? UINT64_MAX : ns * SLOWEST_TICKS / 10);
#else
  (void)ns;
#endif
}

__attribute__((noinline)) void wait_stacks_take(uint64_t from, uint64_t to)
{
  if (wanted == 0 || from == RECORDER_NO_BASE || from >= to || recording_state() != RECORDING_OPEN ||
      clock_ticks_ns(to - from) < wanted)
    return;
  struct stack_record stack = {.kind = RAW_STACK_WAIT, .from = from, .to = to, .period = wanted};
  stack_registers_here(&stack.at);
  stack_record_put(&stack);
}
