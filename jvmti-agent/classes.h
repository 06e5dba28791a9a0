/* Classes that are woven while they are loaded: the event, and the class that woven code calls. */
#ifndef HEDDLE_JVMTI_AGENT_CLASSES_H
#define HEDDLE_JVMTI_AGENT_CLASSES_H

#include <jvmti.h>

/*
 * Once, when the VM is initialized, before the program's classes are loaded: begins to weave, if the options want
 * anything woven. Where the JVM does not let it, that is said.
 */
void classes_start(jvmtiEnv *jvmti, JNIEnv *jni);

/* When recording ends before the VM does: classes are woven no more, and those that are become what they were. */
void classes_stop(jvmtiEnv *jvmti, JNIEnv *jni);

/* The event ClassFileLoadHook, which classes_start switches on; any thread. */
void JNICALL classes_on_load(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader, const char *name,
                             jobject domain, jint size, const unsigned char *bytes, jint *new_size,
                             unsigned char **new_bytes);

#endif
