/*
 * Says in the process file what the calls of sample_calls.h are: their places, with the classes' names. One thread at a
 * time.
 */
#ifndef HEDDLE_JVMTI_AGENT_SAMPLING_H
#define HEDDLE_JVMTI_AGENT_SAMPLING_H

#include <jvmti.h>
#include <stdbool.h>

/* Before anything else here. False: there is no memory. */
bool sample_names_open(void);

/* Writes a line `call:` (raw_trace.h) for each call that has none, and the places that it needs. In the live phase. */
void sample_names_tell(jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * Samples of Java code: which calls each Java thread is in, after each period of its own processor time
 * (HEDDLE_SAMPLE). A timer sends the thread a signal, and its handler puts the stack into the recorder. It takes no
 * lock, allocates nothing, and keeps errno. What it can't take it counts by reason.
 */

/* In the live phase, before the first thread begins: samples from here on, if they are asked for and can be had. */
void sampling_open(jvmtiEnv *jvmti, JNIEnv *jni);
/* No sample is taken any more, and all that were have names. In the live phase. */
void sampling_close(jvmtiEnv *jvmti, JNIEnv *jni);

/* The calling thread begins to record, or ends. */
void sampling_thread_begin(JNIEnv *jni);
void sampling_thread_end(void);

/* The event ClassPrepare: a method can be met in a handler only if somebody asked for its id before. */
void JNICALL sampling_on_class_prepare(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class);

#endif
