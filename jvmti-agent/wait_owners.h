/*
 * Owners of what threads wait for: owners of monitors and of locks of java.util.concurrent. The owner of a join is the
 * thread whose end is awaited.
 *
 * The question for a monitor's owner stops the JVM for a moment. Therefore the thread "Heddle" (core/agent.h) asks it,
 * for waits that last only, and at most OWNERS_A_SECOND times.
 */
#ifndef HEDDLE_JVMTI_AGENT_WAIT_OWNERS_H
#define HEDDLE_JVMTI_AGENT_WAIT_OWNERS_H

#include "common/raw/raw_trace.h"

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#define OWNERS_A_SECOND 100u

/* Returns a monitor's owner as a local reference; NULL: none, or unknown. Stops the JVM. */
jthread owner_of_monitor(jvmtiEnv *jvmti, JNIEnv *jni, jobject monitor);

/* Begins to look for the owners of monitors. In the live phase, once. */
void owners_begin(jvmtiEnv *jvmti, JNIEnv *jni);
/* The calling platform thread begins to wait for a monitor. */
void owners_wait_begins(JNIEnv *jni, jobject monitor);
/* The thread has the monitor, and its wait is still open: records the owner, if one was found. */
void owners_wait_ends(JNIEnv *jni, jthread thread);

/* A wait without a time-out for something that has an owner. References are local and the caller's, but `thread`. */
struct owned_wait {
  jthread thread;
  uint64_t id, object; /* Thread.getId; as object_of() returns it */
  enum raw_block kind;
  jobject what;  /* NULL: the JVM does not report it */
  jthread owner; /* NULL: unknown */
};

/* Looks the fields of the JDK's locks up. False: this JVM's classes are unknown. In the live phase, once. */
bool owned_wait_open(JNIEnv *jni);

/* True if an object is a lock of java.util.concurrent that may have an owner. */
bool owned_wait_is_lock(JNIEnv *jni, jobject object);

/* Finds what any thread waits for; does not ask for the owner. False: it does not wait for anything with an owner. */
bool owned_wait_of(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, struct owned_wait *wait);
/* Finds the owner; for a monitor this stops the JVM. */
void owned_wait_find_owner(jvmtiEnv *jvmti, JNIEnv *jni, struct owned_wait *wait);
/* Deletes the references. */
void owned_wait_drop(JNIEnv *jni, const struct owned_wait *wait);

/* Begins to count lines anew: a recording begins. */
void owned_wait_begin_recording(void);
/* Writes a line `stuck:` to the process file. False: there are too many. */
bool owned_wait_report(jvmtiEnv *jvmti, JNIEnv *jni, const struct owned_wait *wait);

/*
 * Joins of virtual threads. The JVM reports only the latch for which the thread waits. A latch belongs to the thread
 * that is joined, so all waiting virtual threads are asked for theirs; others are in no deadlock. On the thread
 * "Heddle" alone.
 */

/* Forgets all latches: another look at the threads begins. */
void joins_forget(JNIEnv *jni);
/* True if the wait may be a join; then the next look asks virtual threads for their latches. */
bool joins_may_be(const struct owned_wait *wait);
/* True if the look before found such a wait. */
bool joins_are_wanted(void);
/* Notes the latch of a waiting virtual thread, if it has one. */
void joins_add(JNIEnv *jni, jthread thread);
/* Makes the wait a join, with the joined thread as its owner, if that thread is known. */
void joins_find(jvmtiEnv *jvmti, JNIEnv *jni, struct owned_wait *wait);

#endif
