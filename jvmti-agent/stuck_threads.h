/*
 * Deadlocks that virtual threads are in (stuck.h). Each wait of one that lasts (virtual_waits.h) is followed: to the
 * owner of what it waits for, to what that one waits for, and so on. Only where this leads back, the threads on the way
 * are told, because waits of virtual threads may be very many. After LOOK_AGAIN ms, and then after twice as long each
 * time, a wait is followed again.
 *
 * The JVM does not say which virtual thread has a monitor. But it says which monitors a virtual thread has: all whose
 * waits last are asked once. A thread that does not wait is unknown as an owner, and is in no deadlock.
 *
 * Called by the watch alone (core/watch.h).
 */
#ifndef HEDDLE_JVMTI_AGENT_STUCK_THREADS_H
#define HEDDLE_JVMTI_AGENT_STUCK_THREADS_H

#include "jvmti-agent/wait_owners.h"

#include <jvmti.h>

/* A recording begins. */
void stuck_virtual_begin(void);

/* Looks at the virtual threads whose waits last. */
void stuck_virtual_look(jvmtiEnv *jvmti, JNIEnv *jni);

/* Finds the owner, also of a monitor that a virtual thread has, if this is known; else it asks the JVM. */
void stuck_virtual_find_owner(jvmtiEnv *jvmti, JNIEnv *jni, struct owned_wait *wait);
/* The wait of a platform thread lasts: the virtual threads that wait for each other because of it are told. */
void stuck_virtual_follow(jvmtiEnv *jvmti, JNIEnv *jni, const struct owned_wait *wait);

/*
 * Tells the long waits that may never end: what a thread waits for, who has it, and where both are. A run that hangs is
 * killed sooner or later, and then nobody can be asked. A thread of the agent's looks at all threads twice a second,
 * and tells once of each wait that it meets twice: for a monitor, for a lock of java.util.concurrent with an owner, and
 * for a thread's end. So nothing is done when a wait begins. Each is a line `stuck:` of the process file (raw_trace.h).
 */

/* In the live phase. Nothing happens if the JVM refuses. */
void stuck_begin(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
