/*
 * HEDDLE_WAIT_STACKS: a wait that lasted for so long at least gets a record of where the thread is as it ends
 * (stack_record.h). It costs some microseconds, so a thread has at most one in such a time, and loses next to nothing
 * by it. The kernel could take these samples, too (an event for each context switch), but not of users whom it tells
 * nothing of its own code; and it does not know which switch ends a wait.
 *
 * A wait of OpenMP begins with a record, and ends with the next one: how long it was follows from the records, so
 * shorter waits cost a comparison. All calls are the waiting thread's; they are as stack_record.h says.
 */
#ifndef HEDDLE_COMMON_RECORDER_WAIT_STACKS_H
#define HEDDLE_COMMON_RECORDER_WAIT_STACKS_H

#include "common/recorder/recorder.h"

/* Ticks, which may be fewer than those of the time that was asked for: wait_stacks_take decides; UINT64_MAX: no wait
 * gets one. */
extern atomic_uint_fast64_t wait_stacks_least __attribute__((visibility("hidden")));

/* Of the process, before there are records. ns: 0: none. */
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

#endif
