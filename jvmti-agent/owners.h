/*
 * Who has the monitor that a thread waits for. To ask the JVM stops it for a moment. So the thread of core/watch.h
 * asks, about waits that last alone, and not more often than OWNERS_A_SECOND.
 */
#ifndef HEDDLE_JVMTI_AGENT_OWNERS_H
#define HEDDLE_JVMTI_AGENT_OWNERS_H

#include <jvmti.h>
#include <stdint.h>

#define OWNERS_A_SECOND 100u

/* A local reference; NULL: none, or unknown. This stops the JVM. */
jthread owner_of_monitor(jvmtiEnv *jvmti, JNIEnv *jni, jobject monitor);

/* Once, in the live phase. */
void owners_begin(jvmtiEnv *jvmti, JNIEnv *jni);

/* The calling thread, which is no virtual one, begins to wait for a monitor. */
void owners_wait_begins(JNIEnv *jni, jobject monitor);
/* It has the monitor, and its wait is still open: records the owner that was found, if any. */
void owners_wait_ends(JNIEnv *jni, jthread thread);

#endif
