/* What the agent needs of the JVM. */
#ifndef HEDDLE_JVMTI_AGENT_JVMTI_EVENTS_H
#define HEDDLE_JVMTI_AGENT_JVMTI_EVENTS_H

#include "jvmti-agent/core/options.h"

#include <jvmti.h>
#include <stdint.h>

/* Adds what the options need, as far as this JVM has it now: it has less when the agent comes late. */
jvmtiError capabilities_add(jvmtiEnv *jvmti, const struct agent_options *options);

/* Which events the JVM tells the agent of (JVMTI). Those of monitors and of garbage collections follow needs. */

/* Switches on what the options need. */
void jvm_events_begin(void);
/* What is needed here (LIVE_NEED_...): begins to be measured with jvm_events_follow. */
uint32_t jvm_events_needs(void);
/* Has events follow what is needed; returns the needs whose events are on. On one thread (needed.h). */
uint32_t jvm_events_follow(uint32_t needs);
/* How many of these are on; the same thread. */
unsigned jvm_events_on(void);
/* Switches all off but the end of threads. After the last jvm_events_follow. */
void jvm_events_end(void);

/*
 * What follows the needs (common/recorder/needs.h) while the program runs: events of the JVM (events.h), hooks in
 * classes (woven.h). The thread "Heddle" (core/watch.h) switches them.
 */

/* From now on these follow needs, if needs can change. In the live phase. */
void needed_follow(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
