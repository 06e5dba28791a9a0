/* Which events the JVM tells the agent of (JVMTI). Those of monitors and of garbage collections follow needs. */
#ifndef HEDDLE_JVMTI_AGENT_EVENTS_H
#define HEDDLE_JVMTI_AGENT_EVENTS_H

#include <stdint.h>

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

#endif
