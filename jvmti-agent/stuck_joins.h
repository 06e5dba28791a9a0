/*
 * Whom a thread waits for that waits for the end of a virtual thread: a latch of that one's. The JVM tells the latch
 * alone, so the virtual threads that wait themselves are asked whose it is; others are in no deadlock.
 *
 * Called by the watch alone (core/watch.h).
 */
#ifndef HEDDLE_JVMTI_AGENT_STUCK_JOINS_H
#define HEDDLE_JVMTI_AGENT_STUCK_JOINS_H

#include "jvmti-agent/stuck_wait.h"

/* A look begins: all that is known is forgotten. */
void stuck_joins_clean(JNIEnv *jni);
/* Whether the wait may be for a thread's end: then the virtual threads that wait are asked in the next look. */
bool stuck_joins_meet(const struct stuck_wait *wait);
/* Whether there was such a one in the look before. */
bool stuck_joins_are_wanted(void);
/* A virtual thread that waits: its latch, if it has one. */
void stuck_joins_add(JNIEnv *jni, jthread thread);
/* If the wait is for a thread's end, as far as it is known: makes it one for this thread, its owner. */
void stuck_joins_find(jvmtiEnv *jvmti, JNIEnv *jni, struct stuck_wait *wait);

#endif
