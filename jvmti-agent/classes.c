#include "jvmti-agent/classes.h"

#include "common/diag.h"
#include "jvmti-agent/agent.h"
#include "jvmti-agent/holds.h"
#include "jvmti-agent/runtimes/runtimes.h"
#include "jvmti-agent/weaver/hook_class.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

void classes_start(jvmtiEnv *jvmti, JNIEnv *jni)
{
  if (!agent.options.jomp && !*agent.options.hold)
    return;
  struct buffer file = hook_class();
  jclass defined = NULL;
  if (!file.failed)
    defined = (*jni)->DefineClass(jni, HOOK_CLASS, NULL, (const jbyte *)file.bytes, (jsize)file.size);
  free(file.bytes);
  if (!defined) {
    (*jni)->ExceptionClear(jni);
    diag_say("this JVM takes no class for hooks: JOMP's constructs and holds are not recorded", NULL);
    return;
  }
  (*jni)->DeleteLocalRef(jni, defined);
  (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}

/* A class that is there can't get new methods: what runtimes need is put in only while it is loaded. */
static struct buffer weave_both(bool loaded, const char *name, jobject loader, const uint8_t *bytes, size_t size)
{
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  struct buffer woven = {0};
  pthread_mutex_lock(&one_at_a_time);
  if (agent.options.jomp && !loaded)
    woven = runtimes_weave(name, loader, bytes, size);
  if (woven.bytes) {
    bytes = woven.bytes;
    size = woven.size;
  }
  struct buffer both = holds_weave(name, bytes, size);
  pthread_mutex_unlock(&one_at_a_time);
  if (!both.bytes)
    return woven;
  free(woven.bytes);
  return both;
}

void JNICALL classes_on_load(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader, const char *name,
                             jobject domain, jint size, const unsigned char *bytes, jint *new_size,
                             unsigned char **new_bytes)
{
  (void)jni, (void)domain;
  if (!name || size <= 0 || !atomic_load(&agent.live))
    return;
  struct buffer woven = weave_both(redefined != NULL, name, loader, bytes, (size_t)size);
  unsigned char *given;
  if (woven.bytes && woven.size <= INT32_MAX &&
      (*jvmti)->Allocate(jvmti, (jlong)woven.size, &given) == JVMTI_ERROR_NONE) {
    memcpy(given, woven.bytes, woven.size);
    *new_bytes = given;
    *new_size = (jint)woven.size;
  }
  free(woven.bytes);
}
