/*
 * Capabilities and events of JVMTI: what the agent asks the JVM for, and what the JVM reports to it. The events of
 * monitors and of garbage collections, and the hooks in classes (classes.h), are on only while they are needed
 * (common/recorder/needs.h). The thread "Heddle" (core/agent.h) switches them while the program runs.
 */
#ifndef HEDDLE_JVMTI_AGENT_JVMTI_EVENTS_H
#define HEDDLE_JVMTI_AGENT_JVMTI_EVENTS_H

#include "jvmti-agent/core/options.h"

#include <jvmti.h>
#include <stdint.h>

/* Adds the capabilities that the options need and that this JVM can still give: a late agent gets fewer. */
jvmtiError capabilities_add(jvmtiEnv *jvmti, const struct agent_options *options);

/* Switches on the events that the options need. */
void jvm_events_begin(void);
/* Switches all events off but the end of threads. After the thread "Heddle" has ended. */
void jvm_events_end(void);

/* Events and hooks follow the needs from now on, if the needs can change. In the live phase. */
void needed_follow(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
