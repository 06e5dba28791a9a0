#include "jvmti-agent/core/jdk_fields.h"

#define MISSES_MOST 3u /* a look may fail for another reason, as a stack that ends */

/* Who comes second finds the same. */
static jfieldID find(JNIEnv *jni, struct jdk_field *field)
{
  jclass class = (*jni)->FindClass(jni, field->owner);
  jclass global = class ? (*jni)->NewGlobalRef(jni, class) : NULL;
  jfieldID id = global ? (*jni)->GetFieldID(jni, global, field->name, field->type) : NULL;
  (*jni)->DeleteLocalRef(jni, class);
  if (!id) {
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteGlobalRef(jni, global);
    atomic_fetch_add_explicit(&field->misses, 1, memory_order_relaxed);
    return NULL;
  }
  atomic_store_explicit(&field->class, global, memory_order_relaxed);
  atomic_store_explicit(&field->id, id, memory_order_release);
  return id;
}

jfieldID jdk_field_id(JNIEnv *jni, struct jdk_field *field)
{
  jfieldID id = atomic_load_explicit(&field->id, memory_order_acquire);
  if (!id && atomic_load_explicit(&field->misses, memory_order_relaxed) < MISSES_MOST)
    id = find(jni, field);
  return id;
}

bool jdk_field_is_of(JNIEnv *jni, struct jdk_field *field, jobject object)
{
  return object && jdk_field_id(jni, field) &&
         (*jni)->IsInstanceOf(jni, object, atomic_load_explicit(&field->class, memory_order_relaxed));
}

jobject jdk_field_object(JNIEnv *jni, struct jdk_field *field, jobject object)
{
  if (!jdk_field_is_of(jni, field, object))
    return NULL;
  return (*jni)->GetObjectField(jni, object, atomic_load_explicit(&field->id, memory_order_relaxed));
}
