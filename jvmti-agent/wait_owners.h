/*
 * Who has the monitor that a thread waits for. To ask the JVM stops it for a moment. So the thread of core/watch.h
 * asks, about waits that last alone, and not more often than OWNERS_A_SECOND.
 */
#ifndef HEDDLE_JVMTI_AGENT_WAIT_OWNERS_H
#define HEDDLE_JVMTI_AGENT_WAIT_OWNERS_H

#include "common/raw/raw_trace.h"

#include <jvmti.h>
#include <stdbool.h>
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

/* What a thread waits for that has an owner, and whom the thread waits for. Any thread may ask about any. */

/* A thread that waits without a time-out. References are local, and the caller's, but `thread`. */
struct owned_wait {
  jthread thread;
  uint64_t id, object; /* Thread.getId; as object_of() has it */
  enum raw_block kind;
  jobject what;  /* NULL: the JVM does not tell */
  jthread owner; /* NULL: unknown */
};

/* Once, in the live phase. False: this JVM's classes are not what we know. */
bool owned_wait_open(JNIEnv *jni);

/* Whether an object is a lock of java.util.concurrent that may have an owner. */
bool owned_wait_is_lock(JNIEnv *jni, jobject object);

/* False: the thread does not wait, or for nothing that may have an owner. The owner is not asked for. */
bool owned_wait_of(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, struct owned_wait *wait);
/* Asks for the owner; of a monitor this stops the JVM. */
void owned_wait_find_owner(jvmtiEnv *jvmti, JNIEnv *jni, struct owned_wait *wait);
void owned_wait_drop(JNIEnv *jni, const struct owned_wait *wait);

/* Forgets how many lines were told: a recording begins. */
void owned_wait_begin_recording(void);
/* A line `stuck:` of the process file. False: there are too many. */
bool owned_wait_report(jvmtiEnv *jvmti, JNIEnv *jni, const struct owned_wait *wait);

/*
 * Whom a thread waits for that waits for the end of a virtual thread: a latch of that one's. The JVM tells the latch
 * alone, so the virtual threads that wait themselves are asked whose it is; others are in no deadlock.
 *
 * Called by the watch alone (core/watch.h).
 */

/* A look begins: all that is known is forgotten. */
void joins_forget(JNIEnv *jni);
/* Whether the wait may be for a thread's end: then the virtual threads that wait are asked in the next look. */
bool joins_may_be(const struct owned_wait *wait);
/* Whether there was such a one in the look before. */
bool joins_are_wanted(void);
/* A virtual thread that waits: its latch, if it has one. */
void joins_add(JNIEnv *jni, jthread thread);
/* If the wait is for a thread's end, as far as it is known: makes it one for this thread, its owner. */
void joins_find(jvmtiEnv *jvmti, JNIEnv *jni, struct owned_wait *wait);

#endif
