/*
 * Where the program submits tasks: a hook before the call of execute() or submit() notes its place, which takes a tenth
 * of a look at the stack; one behind it forgets what nobody has asked for. The calling thread's.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_SUBMISSIONS_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_SUBMISSIONS_H

#include "jvmti-agent/runtimes/sites.h"

#include <stdint.h>

/* The place of the call that the hook's method is a part of. 0: it has no hooks, or led to another task already. */
uint64_t submission_take(const struct hook *hook);

#endif
