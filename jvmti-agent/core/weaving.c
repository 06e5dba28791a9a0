#include "jvmti-agent/core/weaving.h"

#include <stdlib.h>

struct loader {
  jweak object; /* NULL: the place is free */
  uint32_t number;
};

static struct loader *loaders;
static uint32_t loaders_count, given;

static void forget_if_gone(JNIEnv *jni, struct loader *loader)
{
  if (!loader->object || !(*jni)->IsSameObject(jni, loader->object, NULL))
    return;
  (*jni)->DeleteWeakGlobalRef(jni, loader->object);
  loader->object = NULL;
}

/* NULL: there is no memory. */
static struct loader *make_room(void)
{
  struct loader *more = realloc(loaders, (loaders_count + 1) * sizeof *more);
  if (!more)
    return NULL;
  loaders = more;
  return &loaders[loaders_count++];
}

static uint32_t number_of(JNIEnv *jni, jobject loader)
{
  struct loader *free = NULL;
  for (uint32_t i = 0; i < loaders_count; i++) {
    forget_if_gone(jni, &loaders[i]);
    if (!loaders[i].object)
      free = &loaders[i];
    else if ((*jni)->IsSameObject(jni, loaders[i].object, loader))
      return loaders[i].number;
  }
  uint32_t number = ++given;
  if (free || (free = make_room()))
    *free = (struct loader){.object = (*jni)->NewWeakGlobalRef(jni, loader), .number = number};
  return number;
}

/* While classes are retransformed, the thread has many references in outer frames: -Xcheck:jni of JDK 17 counts those.
 */
uint32_t loader_number(JNIEnv *jni, jobject loader)
{
  return loader && (*jni)->EnsureLocalCapacity(jni, 4) == JNI_OK ? number_of(jni, loader) : 0;
}
