#include "jvmti-agent/runtimes/roots.h"

#include "common/raw_trace.h"
#include "jvmti-agent/runtimes/pool_tasks.h"

#include <stdatomic.h>

/* Places by the hash of their roots, as hash << 32 | id. An operation that has ended stays until another one comes. */
#define ROOTS 4096u
static _Atomic uint64_t roots[ROOTS];

/* CountedCompleter, and its field; never unloaded. The field is set last. */
static _Atomic(jclass) counted_completer;
static _Atomic(jfieldID) completer_field;

static jfieldID find_field(JNIEnv *jni)
{
  jfieldID field = atomic_load_explicit(&completer_field, memory_order_acquire);
  if (field)
    return field;
  jclass class = (*jni)->FindClass(jni, "java/util/concurrent/CountedCompleter");
  jclass global = class ? (*jni)->NewGlobalRef(jni, class) : NULL;
  field = global ? (*jni)->GetFieldID(jni, global, "completer", "Ljava/util/concurrent/CountedCompleter;") : NULL;
  if (!field)
    (*jni)->ExceptionClear(jni);
  (*jni)->DeleteLocalRef(jni, class);
  atomic_store(&counted_completer, global);
  atomic_store_explicit(&completer_field, field, memory_order_release);
  return field;
}

bool roots_is_completer(JNIEnv *jni, jobject task)
{
  return task && find_field(jni) && (*jni)->IsInstanceOf(jni, task, atomic_load(&counted_completer));
}

void roots_add(jobject task, uint64_t code)
{
  uint32_t hash;
  if (pool_task_hash(task, &hash))
    atomic_store_explicit(&roots[hash % ROOTS], (uint64_t)hash << 32 | (uint32_t)code, memory_order_relaxed);
}

uint64_t roots_find(JNIEnv *jni, jobject completer)
{
  uint32_t hash = 0;
  jfieldID field = find_field(jni);
  jobject task = completer, above;
  if (!field)
    return 0;
  while ((above = (*jni)->GetObjectField(jni, task, field)) != NULL) {
    if (task != completer)
      (*jni)->DeleteLocalRef(jni, task);
    task = above;
  }
  bool known = pool_task_hash(task, &hash);
  if (task != completer)
    (*jni)->DeleteLocalRef(jni, task);
  uint64_t root = atomic_load_explicit(&roots[hash % ROOTS], memory_order_relaxed);
  return known && root >> 32 == hash && (uint32_t)root != 0 ? RAW_CODE_PLACE | (uint32_t)root : 0;
}
