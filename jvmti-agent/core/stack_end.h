/*
 * Near the end of a thread's stack a hook can fail with StackOverflowError although the hook before it did not: then an
 * acquisition would be recorded and its release not. So a thread that gets there records the release of all monitors
 * that it holds, and no acquisition until it is back where it acquired the first of them. Everything here is the
 * calling thread's own.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_STACK_END_H
#define HEDDLE_JVMTI_AGENT_CORE_STACK_END_H

#include <stdbool.h>
#include <stdint.h>

struct stack_end {
  uintptr_t zone;   /* addresses below are near the end; 0: unknown yet */
  uintptr_t beyond; /* ~zone, when that is known: one comparison shows that an address is not below */
  uintptr_t silent; /* frames below record nothing; 0: all record */
  uintptr_t first;  /* about where the frame is that acquired the first of the held monitors */
  uint32_t holds;   /* recorded acquisitions without a release */
};

enum stack_end_report {
  STACK_END_NOTHING, /* record nothing */
  STACK_END_REPORT,
  STACK_END_RELEASE_ALL /* record that all monitors are released, and nothing else */
};

/* The same as stack_end_is_near(), and finds the end of the stack if it is unknown. */
bool stack_end_look(struct stack_end *end, uintptr_t here) __attribute__((cold));

/* Whether `here`, an address in the caller's frame, is so near to the end that a hook may fail. */
static inline bool stack_end_is_near(struct stack_end *end, uintptr_t here)
{
  return ~here > end->beyond && stack_end_look(end, here);
}

/* What to record about a monitor that was just acquired; `here`: an address in the caller's frame. */
enum stack_end_report stack_end_acquired(struct stack_end *end, uintptr_t here);
/* Whether to record that a monitor is released. */
bool stack_end_released(struct stack_end *end, uintptr_t here);

#endif
