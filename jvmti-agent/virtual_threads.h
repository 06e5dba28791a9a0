/*
 * Virtual threads (JDK 21 and later): which one runs on a carrier, from when to when, and what it waits for when the
 * carrier lets go of it. They are too many for locations of their own.
 */
#ifndef HEDDLE_JVMTI_AGENT_VIRTUAL_THREADS_H
#define HEDDLE_JVMTI_AGENT_VIRTUAL_THREADS_H

#include <jvmti.h>

/* Asks for the events of mounting, where this JVM has them. */
void virtual_threads_open(jvmtiEnv *jvmti);

#endif
