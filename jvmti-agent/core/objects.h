/*
 * Objects as records name them: by class and identity hash. Fields of the JDK's own objects. The rules of places.h for
 * threads and phases hold here, too.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_OBJECTS_H
#define HEDDLE_JVMTI_AGENT_CORE_OBJECTS_H

#include <jni.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns the id of an object's class, whose `class:` line is in the process file. Needs can_tag_objects. */
uint32_t class_id_of(jvmtiEnv *jvmti, JNIEnv *jni, jobject object);
/* Returns class id << 32 | identity hash; 0 for null. Keeps some objects of the calling thread, by weak references. */
uint64_t object_of(jvmtiEnv *jvmti, JNIEnv *jni, jobject object);
/* Returns the name of the class of an object_of(), valid for ever; NULL: unknown. Any thread. */
const char *object_class(uint64_t object);
/* Forgets the objects of the calling thread, which ends. */
void objects_thread_end(JNIEnv *jni);

/*
 * Gives an object a name (UTF-8) of its own, which is added to the name of its class: jomp.runtime.NestLock "counter".
 * The first name stays.
 */
void object_name(jvmtiEnv *jvmti, JNIEnv *jni, jobject object, const char *name);

/*
 * A field of one of the JDK's classes. It is looked up a few times at most: if a JDK has no such class or field, each
 * look-up makes an exception. Any thread, in the live phase; calls the JVM.
 */
struct jdk_field {
  const char *owner, *name, *type; /* as JNI spells them; a field that holds an object. The others are private */
  _Atomic(jclass) class;           /* never unloaded */
  _Atomic(jfieldID) id;            /* set last */
  atomic_uint misses;
};

#define JDK_FIELD(class_, name_, type_) {.owner = (class_), .name = (name_), .type = (type_)}

/* Returns the field's id; NULL: this JDK has no such field. */
jfieldID jdk_field_id(JNIEnv *jni, struct jdk_field *field);
/* True if the object has the field; false for null. */
bool jdk_field_is_of(JNIEnv *jni, struct jdk_field *field, jobject object);
/* Returns the object in the field, as a local reference; NULL: null, or no such field. */
jobject jdk_field_object(JNIEnv *jni, struct jdk_field *field, jobject object);

#endif
