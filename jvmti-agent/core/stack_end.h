/*
 * Near the end of a thread's stack a hook can fail with StackOverflowError although the one before it did not: what was
 * acquired there may be given up without a word. So a thread that comes there gives up, as far as we tell, whatever it
 * holds, and tells of no monitor before it is back where it got the first of them. Everything here is the calling
 * thread's own.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_STACK_END_H
#define HEDDLE_JVMTI_AGENT_CORE_STACK_END_H

#include <stdbool.h>
#include <stdint.h>

struct stack_end {
  uintptr_t zone;   /* addresses below are near the end; 0: not known yet */
  uintptr_t beyond; /* ~zone, when that is known: one comparison says that an address is not below */
  uintptr_t silent; /* nothing is told by frames below; 0: all is told */
  uintptr_t first;  /* about where the frame is that got the first of the monitors that are held */
  uint32_t holds;   /* that were told and not given up */
};

enum stack_end_word {
  STACK_END_SILENCE, /* nothing is told */
  STACK_END_TELL,
  STACK_END_GIVE_UP /* it is told that all monitors are given up, and nothing else */
};

/* The same as stack_end_is_near(), with a look at where the stack ends if that is not known. */
bool stack_end_look(struct stack_end *end, uintptr_t here) __attribute__((cold));

/* Whether `here`, an address in the caller's frame, is so near to the end that a hook may fail. */
static inline bool stack_end_is_near(struct stack_end *end, uintptr_t here)
{
  return ~here > end->beyond && stack_end_look(end, here);
}

/* What is told of a monitor that was just acquired; `here`: an address in the caller's frame. */
enum stack_end_word stack_end_acquired(struct stack_end *end, uintptr_t here);
/* Whether it is told that one is released. */
bool stack_end_released(struct stack_end *end, uintptr_t here);

#endif
