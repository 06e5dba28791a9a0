/* Objects as records have them: by class and identity. The rules of places.h hold here, too. */
#ifndef HEDDLE_JVMTI_AGENT_CORE_OBJECTS_H
#define HEDDLE_JVMTI_AGENT_CORE_OBJECTS_H

#include <jvmti.h>
#include <stdint.h>

/* The id of an object's class; its `class:` line is in the process file. Needs can_tag_objects. */
uint32_t class_id_of(jvmtiEnv *jvmti, JNIEnv *jni, jobject object);
/* class id << 32 | identity hash; 0 for null. Remembers some objects of the calling thread, by weak references. */
uint64_t object_of(jvmtiEnv *jvmti, JNIEnv *jni, jobject object);
/* The name of an object's class, by object_of(), for ever; NULL: unknown. Any thread. */
const char *object_class(uint64_t object);
/* The calling thread ends: forgets them. */
void objects_thread_end(JNIEnv *jni);

/*
 * Gives an object a name (UTF-8) of its own, which is added to that of its class: jomp.runtime.NestLock "counter". The
 * first name stays.
 */
void object_name(jvmtiEnv *jvmti, JNIEnv *jni, jobject object, const char *name);

#endif
