/* Frames of a thread's stack, innermost first. The rules of places.h hold here, too. */
#ifndef HEDDLE_JVMTI_AGENT_CORE_FRAMES_H
#define HEDDLE_JVMTI_AGENT_CORE_FRAMES_H

#include <jvmti.h>

#define FRAMES_MOST 48

/*
 * Lets the calling thread's own frames be read by the JVM's AsyncGetCallTrace, where it has it. The event ClassLoad
 * must be enabled then, with a callback; else the JVM refuses, and they are read as all others.
 */
void frames_open(void);

/* The event ClassLoad; does nothing. */
void JNICALL frames_on_class_load(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class);

/* Reads up to `most` frames of a thread, NULL: the calling one. Returns how many; 0 also where they can't be read. */
jint frames_read(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jint most, jvmtiFrameInfo *frames);

#endif
