#include "jvmti-agent/runtimes/known.h"

#include <string.h>

const struct runtime *const runtimes_known[RUNTIMES_KNOWN] = {
    &runtime_jomp,        &runtime_forkjoin, &runtime_executors,     &runtime_stages,
    &runtime_submissions, &runtime_waits,    &runtime_virtual_calls, &runtime_polls};

bool runtimes_is_worker(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  bool found = false;
  char *signature;
  jclass class = (*jni)->GetObjectClass(jni, thread);
  if (class && (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE) {
    for (size_t i = 0; i < RUNTIMES_KNOWN; i++)
      found |= runtimes_known[i]->worker && strcmp(signature, runtimes_known[i]->worker) == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
  }
  (*jni)->DeleteLocalRef(jni, class);
  return found;
}

bool runtimes_wait_for(JNIEnv *jni, jobject monitor)
{
  bool found = false;
  for (size_t i = 0; i < RUNTIMES_KNOWN; i++)
    found |= runtimes_known[i]->waits && runtimes_known[i]->waits(jni, monitor);
  return found;
}

void runtimes_thread_end(void)
{
  for (size_t i = 0; i < RUNTIMES_KNOWN; i++)
    if (runtimes_known[i]->thread_end)
      runtimes_known[i]->thread_end();
}
