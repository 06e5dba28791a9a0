/*
 * A thread of the JVM's own group, named "Heddle", in which subjects look at the JVM from time to time. There is one;
 * it begins with the first subject.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_WATCH_H
#define HEDDLE_JVMTI_AGENT_CORE_WATCH_H

#include <jvmti.h>

#define WATCH_SUBJECTS 2u

typedef void watch_look(jvmtiEnv *jvmti, JNIEnv *jni);

/* Has `look` called every 500 ms. In the live phase, on one thread at a time. */
void watch_begin(jvmtiEnv *jvmti, JNIEnv *jni, watch_look *look);

/* None is called any more when this returns. */
void watch_end(void);

#endif
