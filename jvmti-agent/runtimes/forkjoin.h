/* Fork-join tasks that are submitted by another way than fork(). */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_FORKJOIN_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_FORKJOIN_H

#include "jvmti-agent/runtimes/pool_tasks.h"
#include "jvmti-agent/runtimes/sites.h"

/* The calling thread gives a pool the hook's `first`, with this identity hash, and of this class. A task that is not
 * followed changes nothing. */
void forkjoin_submit(const struct hook *hook, uint32_t hash, struct task_class is);

#endif
