/*
 * Which monitors virtual threads have that wait: as long as a thread waits, it has the same ones. The JVM does not say
 * which virtual thread has a monitor. Up to HOLDS_MOST are known. Called by the watch alone (core/watch.h).
 */
#ifndef HEDDLE_JVMTI_AGENT_STUCK_HOLDS_H
#define HEDDLE_JVMTI_AGENT_STUCK_HOLDS_H

#include "jvmti-agent/virtual_waits.h"

#define HOLDS_MOST 4096u

/* Asks the JVM for the monitors of a thread whose wait is held, and is the one of `looked_at`. Nothing where the JVM
 * refuses: after heddle attach. */
void stuck_holds_add(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, const struct virtual_wait *wait);
/* Forgets those of waits that are over. */
void stuck_holds_clean(JNIEnv *jni);
/* The thread that has a monitor: a local reference; NULL: it is none of these. number: as object_of() has it. */
jthread stuck_holds_find(JNIEnv *jni, jobject monitor, uint64_t number);

#endif
