/* The agent: what the JVM loads (java -agentpath:libheddle-jvmti.so), which events it asks for, and its end. */
#include "common/recorder.h"
#include "common/session.h"

#include <jvmti.h>

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  (void)jvmti, (void)jni, (void)thread;
  recorder_thread_begin(0);
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  (void)jvmti, (void)jni, (void)thread;
  recorder_thread_end();
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
  (void)options, (void)reserved;
  jvmtiEnv *jvmti;
  static const jvmtiEventCallbacks callbacks = {.ThreadStart = on_thread_start, .ThreadEnd = on_thread_end};
  if (session_is_off() || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK ||
      !session_open("jvmti", "JVM"))
    return 0;
  (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
  (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_THREAD_START, NULL);
  (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_THREAD_END, NULL);
  return 0;
}
