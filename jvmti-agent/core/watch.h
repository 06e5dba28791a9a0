/*
 * A thread of the JVM's own group, named "Heddle", in which subjects look at the JVM from time to time. There is one;
 * it begins with the first subject.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_WATCH_H
#define HEDDLE_JVMTI_AGENT_CORE_WATCH_H

#include <jvmti.h>

#define WATCH_SUBJECTS 6u
#define WATCH_MS       500u /* what most subjects return */

/* Returns in how many ms it is to be called again; 0: never. */
typedef unsigned watch_look(jvmtiEnv *jvmti, JNIEnv *jni);

/* Has `look` called, at first after WATCH_MS at most. In the live phase, on one thread at a time. */
void watch_begin(jvmtiEnv *jvmti, JNIEnv *jni, watch_look *look);

/* Has it called at once, or right after the look that goes on. Nothing happens unless it has begun. Any thread, also in
 * handlers of signals: takes no lock. */
void watch_hurry(watch_look *look);

/* None is called any more when this returns. */
void watch_end(void);
/* The same at the end of the JVM: one that goes on may wait for a lock of the program, so it is given two seconds. */
void watch_end_soon(void);

#endif
