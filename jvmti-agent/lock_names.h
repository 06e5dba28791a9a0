/*
 * Which field an object is in that threads wait for: `field:` lines of the process file (raw_trace.h). Found once an
 * object, by the instructions of the program's method that waits. The rules of places.h hold here, too.
 */
#ifndef HEDDLE_JVMTI_AGENT_LOCK_NAMES_H
#define HEDDLE_JVMTI_AGENT_LOCK_NAMES_H

#include "common/raw/raw_trace.h"
#include "jvmti-agent/core/places.h"

/* The calling thread waits for an object (as object_of() gives it) at the place of the stack. */
void lock_name_frame(JNIEnv *jni, uint64_t object, const struct place_stack *stack);
/* The same; reads the stack only if the object is new. */
void lock_name(JNIEnv *jni, uint64_t object, enum raw_block kind);

#endif
