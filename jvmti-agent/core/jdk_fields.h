/*
 * Fields of the JDK's own classes, looked for a few times at most: where a JDK has no such class or field, each look
 * makes an exception. Any thread, in the live phase; calls the JVM.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_JDK_FIELDS_H
#define HEDDLE_JVMTI_AGENT_CORE_JDK_FIELDS_H

#include <jni.h>
#include <stdatomic.h>
#include <stdbool.h>

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
