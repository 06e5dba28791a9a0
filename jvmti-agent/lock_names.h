/*
 * Names of locks: the field that holds an object for which threads wait, as a line `field:` of the process file
 * (raw_trace.h). It is found once for each object, from the instructions of the program's waiting method. The rules of
 * places.h for threads and phases hold here, too.
 */
#ifndef HEDDLE_JVMTI_AGENT_LOCK_NAMES_H
#define HEDDLE_JVMTI_AGENT_LOCK_NAMES_H

#include "common/raw/raw_trace.h"
#include "jvmti-agent/core/places.h"

/* Names an object (an object_of()) for which the calling thread waits at the place of the stack. */
void lock_name_frame(JNIEnv *jni, uint64_t object, const struct place_stack *stack);
/* The same; reads the stack only if the object is new. */
void lock_name(JNIEnv *jni, uint64_t object, enum raw_block kind);

/*
 * Returns what lock_field_open() takes: the number of a class' constants, the constants, and the instructions of a
 * method from *code on. It has *size bytes; free() it. NULL: the JVM does not have them.
 */
uint8_t *lock_names_read_method(jvmtiEnv *jvmti, jclass class, jmethodID method, size_t *size, size_t *code);

#endif
