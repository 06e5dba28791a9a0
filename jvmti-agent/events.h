/*
 * Which events the JVM tells the agent of (JVMTI). Those of monitors and of garbage collections are on while somebody
 * needs them (common/needs.h); the thread "Heddle" (core/watch.h) switches them.
 */
#ifndef HEDDLE_JVMTI_AGENT_EVENTS_H
#define HEDDLE_JVMTI_AGENT_EVENTS_H

#include <jvmti.h>

/* Switches on what the options need. */
void events_begin(void);
/* From now on events follow needs, if these can change. In the live phase. */
void events_follow_needs(jvmtiEnv *jvmti, JNIEnv *jni);
/* Switches all off but the end of threads. After watch_end(). */
void events_end(void);

#endif
