/*
 * Parallel operations of the JDK that are made of CountedCompleters (parallel streams, sorts of arrays, bulk operations
 * of ConcurrentHashMap): where the program called each. The task that is invoked is the root of all others, by whatever
 * thread they are forked and executed. Any thread; nobody waits.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_FORKJOIN_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_FORKJOIN_H

#include "jvmti-agent/runtimes/pool_tasks.h"
#include "jvmti-agent/runtimes/sites.h"

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether a task is a CountedCompleter, the root of others if it is invoked. */
bool roots_is_completer(JNIEnv *jni, jobject task);
/* Such a task is invoked from this place. */
void roots_add(jobject task, uint64_t code);
/* The place of a CountedCompleter's root. 0: unknown, as where another operation has the same hash by chance. */
uint64_t roots_find(JNIEnv *jni, jobject completer);

/* Fork-join tasks that are submitted by another way than fork(). */

/* The calling thread gives a pool the hook's `first`, with this identity hash, and of this class. A task that is not
 * followed changes nothing. */
void forkjoin_submit(const struct hook *hook, uint32_t hash, struct task_class is);

#endif
