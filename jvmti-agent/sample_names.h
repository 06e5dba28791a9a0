/*
 * Says in the process file what the calls of sample_calls.h are: their places, with the classes' names. One thread at a
 * time.
 */
#ifndef HEDDLE_JVMTI_AGENT_SAMPLE_NAMES_H
#define HEDDLE_JVMTI_AGENT_SAMPLE_NAMES_H

#include <jvmti.h>
#include <stdbool.h>

/* Before anything else here. False: there is no memory. */
bool sample_names_open(void);

/* Writes a line `call:` (raw_trace.h) for each call that has none, and the places that it needs. In the live phase. */
void sample_names_tell(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
