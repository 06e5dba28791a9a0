#include "jvmti-agent/virtual_threads.h"

#include "jvmti-agent/blocks.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/threads.h"

#include <string.h>

static bool is_recorded(void)
{
  return atomic_load_explicit(&agent.live, memory_order_relaxed) && thread_self.state == THREAD_RECORDS &&
         agent.options.jvm && agent.options.virtual_threads;
}

/* These events are HotSpot's own: they are found by their names, and called with what their descriptions say. */
static void JNICALL on_mount(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  (void)jvmti;
  uint64_t id = thread_id_of(jni, thread);
  thread_self.mounted = id;
  if (is_recorded())
    recorder_emit3(RAW_VIRTUAL_MOUNT, 0, 0, id);
}

static void JNICALL on_unmount(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  (void)jvmti, (void)jni, (void)thread;
  uint64_t id = thread_self.mounted;
  thread_self.mounted = 0;
  if (!is_recorded())
    return;
  /* The virtual thread continues to wait; its carrier does not. */
  block_abandon();
  recorder_emit3(RAW_VIRTUAL_UNMOUNT, 0, 0, id);
}

static void give_back(jvmtiEnv *jvmti, jvmtiExtensionEventInfo *event)
{
  for (jint i = 0; i < event->param_count; i++)
    (*jvmti)->Deallocate(jvmti, (unsigned char *)event->params[i].name);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)event->params);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)event->id);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)event->short_description);
}

void virtual_threads_open(jvmtiEnv *jvmti)
{
  jint count;
  jvmtiExtensionEventInfo *events;
  if ((*jvmti)->GetExtensionEvents(jvmti, &count, &events) != JVMTI_ERROR_NONE)
    return;
  for (jint i = 0; i < count; i++) {
    jvmtiExtensionEvent call =
        !strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadMount")     ? (jvmtiExtensionEvent)on_mount
        : !strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadUnmount") ? (jvmtiExtensionEvent)on_unmount
                                                                               : NULL;
    jint index = events[i].extension_event_index;
    if (call && (*jvmti)->SetExtensionEventCallback(jvmti, index, call) == JVMTI_ERROR_NONE)
      (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, (jvmtiEvent)index, NULL);
    give_back(jvmti, &events[i]);
  }
  (*jvmti)->Deallocate(jvmti, (unsigned char *)events);
}
