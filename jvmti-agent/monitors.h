/*
 * Monitors: waits of the calling thread to enter one, Object.wait if the JVM reports it, and how long monitors are
 * held.
 *
 * JVMTI reports contended acquisitions only. With the option hold=, matching classes get hooks that report every
 * acquisition and release.
 */
#ifndef HEDDLE_JVMTI_AGENT_MONITORS_H
#define HEDDLE_JVMTI_AGENT_MONITORS_H

#include "jvmti-agent/core/weaving.h"
#include "jvmti-agent/weaver/class_output.h"

#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>

/* Callbacks of JVMTI. */
void JNICALL monitors_on_enter(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object);
void JNICALL monitors_on_entered(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object);
void JNICALL monitors_on_wait(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jlong timeout);
void JNICALL monitors_on_waited(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jboolean timed_out);

/* Switches monitors_on_waited on for the calling thread's next wait, which may time out. */
void monitors_ask_for_timeouts(JNIEnv *jni);

/* Returns how many threads are in a recorded wait for a monitor, whose end is not reported yet. Any thread. */
unsigned monitors_entering(void);
/* Forgets the waits of an earlier recording. Before the events are on. */
void monitors_forget(void);

/* Returns the class with hooks at its monitors, for a class that is loaded or redefined. Bytes NULL: it stays as it
 * is. The caller frees the bytes. One thread at a time. */
struct buffer holds_weave(struct weaving *class, const uint8_t *bytes, size_t size);

#endif
