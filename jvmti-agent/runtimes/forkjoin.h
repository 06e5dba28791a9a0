/* Fork-join tasks that are submitted in another way than by fork(). */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_FORKJOIN_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_FORKJOIN_H

#include "jvmti-agent/runtimes/pool_tasks.h"
#include "jvmti-agent/runtimes/sites.h"

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* The calling thread gives a pool the hook's `first`, with this identity hash and of this class. Does nothing for a
 * task that is not followed. */
void forkjoin_submit(const struct hook *hook, uint32_t hash, struct task_class is);

#endif
