/*
 * Guards: Java code before the calls of hooks, which omits instances of constructs without a call. Guards read and
 * write the thread's table in the process' memory: it has, for each site, how many instances are still to be omitted.
 * Only the thread itself writes there while it runs Java.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_GUARDS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_GUARDS_H

#include "jvmti-agent/weaver/class_output.h"
#include "jvmti-agent/weaver/guard_table.h"

#include <stdbool.h>
#include <stdint.h>

/* Words of stack and variables that guards need. */
#define GUARD_STACK  16u /* beyond the arguments */
#define GUARD_LOCALS 6u

/* The moment of a hook. */
enum guard_moment {
  GUARD_BEFORE,
  GUARD_BEHIND,  /* with GUARD_LOCK: the thread is about to acquire the lock */
  GUARD_LOCKED,  /* it has acquired it */
  GUARD_UNLOCKED /* it is about to release it, or has released it */
};

/* Adds code that calls `hook` if the guard allows: a static method with this signature, whose last argument is the
 * site. */
void guard_code(struct buffer *code, const struct guard_constants *of, enum hook_guard guard, enum guard_moment moment,
                const struct signature *signature, uint16_t hook, const struct hook_memory *memory);

/* Adds code of the method ()J that returns the calling thread's table, or 0. */
void guard_code_of_table(struct buffer *code, const struct guard_constants *of, const struct hook_memory *memory);

#endif
