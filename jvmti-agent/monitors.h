/* Monitors that the calling thread waits to enter, and Object.wait if the JVM reports it. JVMTI callbacks. */
#ifndef HEDDLE_JVMTI_AGENT_MONITORS_H
#define HEDDLE_JVMTI_AGENT_MONITORS_H

#include "jvmti-agent/core/weaving.h"
#include "jvmti-agent/weaver/class_output.h"

#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>

void JNICALL monitors_on_enter(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object);
void JNICALL monitors_on_entered(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object);
void JNICALL monitors_on_wait(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jlong timeout);
/* Before a wait that may time out: from now on monitors_on_waited learns whether the calling thread's wait did. */
void monitors_ask_for_timeouts(JNIEnv *jni);
void JNICALL monitors_on_waited(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jboolean timed_out);

/* Threads that wait for a monitor, and whose wait was recorded: the event of its end is awaited. Any thread. */
unsigned monitors_entering(void);
/* Those of a recording before are awaited no more: before the events are on. */
void monitors_forget(void);

/*
 * How long monitors are held (option hold=): matching classes are woven when they are loaded, and report each monitor
 * that they acquire and release. The JVM reports only contended acquisitions.
 */

/* A class that is being loaded or redefined, woven; bytes NULL: it stays as it is. The caller frees them. One thread at
 * a time. */
struct buffer holds_weave(struct weaving *class, const uint8_t *bytes, size_t size);

#endif
