/* The methods of the hook class that guard hooks (hook_guards.h), as Java code. */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_GUARD_CODE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_GUARD_CODE_H

#include "jvmti-agent/weaver/class_output.h"
#include "jvmti-agent/weaver/hook_guards.h"

#include <stdbool.h>

#define GUARD_STACK  16u /* beyond the arguments */
#define GUARD_LOCALS 6u

/* What the code refers to, as constants of the hook class. */
struct guard_constants {
  struct constants *constants;
  uint16_t unsafe, get_byte, get_int, put_int, get_long, get_long_of, current_thread, table;
};

struct guard_constants guard_constants(struct constants *constants, uint16_t table);

/* When a hook is called. */
enum guard_moment {
  GUARD_BEFORE,
  GUARD_BEHIND,  /* with GUARD_LOCK: the thread is about to acquire the lock */
  GUARD_LOCKED,  /* it has acquired it */
  GUARD_UNLOCKED /* it is about to release it, or has released it */
};

/* Code that calls `hook`, a static method with this signature whose last argument is the site, unless the guard knows
 * better. */
void guard_code(struct buffer *code, const struct guard_constants *of, enum hook_guard guard, enum guard_moment moment,
                const struct signature *signature, uint16_t hook, const struct hook_memory *memory);

/* Code of the method ()J that gives the calling thread's table, or 0. */
void guard_code_of_table(struct buffer *code, const struct guard_constants *of, const struct hook_memory *memory);

#endif
