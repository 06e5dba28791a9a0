/* The parallel runtimes that the agent knows, and what a thread has to do with them. */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_KNOWN_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_KNOWN_H

#include "jvmti-agent/runtimes/table.h"

#include <jvmti.h>
#include <stdbool.h>

enum { RUNTIMES_KNOWN = 8 };
extern const struct runtime *const runtimes_known[RUNTIMES_KNOWN];

/*
 * The calling thread begins to wait for a monitor, of which nothing is recorded yet. Returns whether that is the way in
 * which it waits for a construct of a runtime's: then both are recorded, whatever else is left out.
 */
bool runtimes_wait_for(JNIEnv *jni, jobject monitor);

/* The calling thread ends. */
void runtimes_thread_end(void);

/* Whether a thread belongs to a pool that executes parallel regions. */
bool runtimes_is_worker(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

#endif
