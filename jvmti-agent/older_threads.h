/*
 * Threads that are older than the agent (heddle attach). Most of them wait when it is loaded, some until it ends, and
 * no callback reports them. Therefore the agent looks at all threads when it is loaded. It notices the end of their
 * waits by the monitor's event, by an unpark, or by a look every 10 ms. Each wait is a line `waiting:` of the process
 * file (raw_trace.h). The thread that ends the recording also records the threads that made no callback.
 */
#ifndef HEDDLE_JVMTI_AGENT_OLDER_THREADS_H
#define HEDDLE_JVMTI_AGENT_OLDER_THREADS_H

#include <jvmti.h>
#include <stdint.h>

/* Looks at all threads. Once, before anything is recorded. */
void older_threads_begin(jvmtiEnv *jvmti, JNIEnv *jni);
/* The thread with this Thread.getId was unparked. */
void older_threads_unparked(uint64_t id);
/* Records the threads that made no callback. Before the recording ends. */
void older_threads_end(JNIEnv *jni);

#endif
