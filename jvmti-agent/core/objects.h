/* Objects as records have them: by class and identity. The rules of places.h hold here, too. */
#ifndef HEDDLE_JVMTI_AGENT_CORE_OBJECTS_H
#define HEDDLE_JVMTI_AGENT_CORE_OBJECTS_H

#include <jni.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
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

/*
 * Fields of the JDK's own classes, looked for a few times at most: where a JDK has no such class or field, each look
 * makes an exception. Any thread, in the live phase; calls the JVM.
 */

struct jdk_field {
  const char *owner, *name, *type; /* as JNI has them; of objects. The others are private */
  _Atomic(jclass) class;           /* never unloaded */
  _Atomic(jfieldID) id;            /* set last */
  atomic_uint misses;
};

#define JDK_FIELD(class_, name_, type_) {.owner = (class_), .name = (name_), .type = (type_)}

/* NULL: this JDK has none. */
jfieldID jdk_field_id(JNIEnv *jni, struct jdk_field *field);
/* Whether an object has it; NULL has none. */
bool jdk_field_is_of(JNIEnv *jni, struct jdk_field *field, jobject object);
/* The object in a field of one, by a local reference; NULL: there is none, or no such field. */
jobject jdk_field_object(JNIEnv *jni, struct jdk_field *field, jobject object);

#endif
