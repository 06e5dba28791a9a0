#include "jvmti-agent/runtimes/roots.h"

#include "common/raw/raw_trace.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/runtimes/pool_tasks.h"

#include <stdatomic.h>

/* Places by the hash of their roots, as hash << 32 | id. An operation that has ended stays until another one comes. */
#define ROOTS 4096u
static _Atomic uint64_t roots[ROOTS];

static struct jdk_field completer_field =
    JDK_FIELD("java/util/concurrent/CountedCompleter", "completer", "Ljava/util/concurrent/CountedCompleter;");

bool roots_is_completer(JNIEnv *jni, jobject task)
{
  return jdk_field_is_of(jni, &completer_field, task);
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
  jfieldID field = jdk_field_id(jni, &completer_field);
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
