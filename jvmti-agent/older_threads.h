/*
 * What the threads do that are older than the agent (heddle attach). Most of them wait when it comes, and some until it
 * goes: no callback tells of them. So the agent looks at all threads as it comes. It knows when their waits end by the
 * monitor's event, by an unpark, or by a look every 10 ms. Each is a line `waiting:` of the process file (raw_trace.h).
 * A thread that shows itself in no callback is recorded by the thread that ends the recording.
 */
#ifndef HEDDLE_JVMTI_AGENT_OLDER_THREADS_H
#define HEDDLE_JVMTI_AGENT_OLDER_THREADS_H

#include <jvmti.h>
#include <stdint.h>

/* Looks at all threads. Once, before anything is recorded. */
void older_threads_begin(jvmtiEnv *jvmti, JNIEnv *jni);
/* A thread was unparked, by Thread.getId. */
void older_threads_unparked(uint64_t id);
/* The recording ends, but still goes on: records the threads that showed themselves in no callback. */
void older_threads_end(JNIEnv *jni);

#endif
