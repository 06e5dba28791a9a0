/*
 * Classes that get hooks while they are loaded, and the class that hooks call (weaver/hooks.h).
 *
 * Hooks come in parts: one for each runtime (runtimes/sites.h), one for monitors that are held, one for exact calls.
 * Parts follow the needs (common/recorder/needs.h). Classes get the hooks of a part as soon as it is needed. They lose
 * them when nobody has needed the part for a while. A method that runs keeps its code, with or without hooks, until it
 * returns.
 */
#ifndef HEDDLE_JVMTI_AGENT_CLASSES_H
#define HEDDLE_JVMTI_AGENT_CLASSES_H

#include <jvmti.h>
#include <stdint.h>

/* Begins to weave if the options need hooks; reports it if the JVM refuses. Once, after VMInit, before the program's
 * classes are loaded. */
void classes_start(jvmtiEnv *jvmti, JNIEnv *jni);

/* Stops weaving and takes all hooks out of classes. If recording ends before the JVM does. */
void classes_stop(jvmtiEnv *jvmti, JNIEnv *jni);

/* Callback of the event ClassFileLoadHook, which classes_start switches on. Any thread. */
void JNICALL classes_on_load(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader, const char *name,
                             jobject domain, jint size, const unsigned char *bytes, jint *new_size,
                             unsigned char **new_bytes);

/* Gives classes the hooks for these needs (a mask of LIVE_NEED_...), and takes others away. In the live phase, on one
 * thread. Does nothing before classes_start. */
void woven_follow(jvmtiEnv *jvmti, JNIEnv *jni, uint32_t needs);
/* The needs that hooks serve (LIVE_NEED_...): their measurement begins with woven_follow. 0 before classes_start. */
uint32_t woven_needs(void);
/* Returns how many classes have hooks; classes of the same name count once. */
unsigned woven_classes(void);

#endif
