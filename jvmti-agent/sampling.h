/*
 * Samples of Java code: the calls that each Java thread is in, after each period of its own processor time
 * (HEDDLE_SAMPLE). A timer sends the thread a signal, whose handler puts the stack into the recorder. The handler takes
 * no lock, allocates nothing and keeps errno. It counts the samples that it cannot take, by reason. The process file
 * gets a line `call:` (raw_trace.h) for each call, later, from another thread.
 */
#ifndef HEDDLE_JVMTI_AGENT_SAMPLING_H
#define HEDDLE_JVMTI_AGENT_SAMPLING_H

#include <jvmti.h>

/* Begins to take samples if they are asked for and possible. In the live phase, before the first thread begins. */
void sampling_open(jvmtiEnv *jvmti, JNIEnv *jni);
/* Takes no further samples; all calls have their lines when it returns. In the live phase. */
void sampling_close(jvmtiEnv *jvmti, JNIEnv *jni);

/* The calling thread begins to record, or ends. */
void sampling_thread_begin(JNIEnv *jni);
void sampling_thread_end(void);

/* Callback of the event ClassPrepare: makes the ids of the class' methods, without which a handler cannot name them. */
void JNICALL sampling_on_class_prepare(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class);

#endif
