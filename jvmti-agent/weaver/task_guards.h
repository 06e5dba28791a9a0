/* Guards of pools' tasks, a part of guards.h. */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_TASK_GUARDS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_TASK_GUARDS_H

#include "jvmti-agent/weaver/guard_code.h"

/* Adds the code of a guard of tasks, GUARD_FORK to GUARD_INVOKE. memory->hash_bits is not 0. */
void task_guard(struct guard_code_making *making, enum hook_guard which, bool begins, const struct hook_memory *memory);

#endif
