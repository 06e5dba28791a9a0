#include "jvmti-agent/virtual_threads.h"

#include "jvmti-agent/blocks.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/lock_names.h"

#include <string.h>

static bool is_recorded(void)
{
  return atomic_load_explicit(&agent.live, memory_order_relaxed) && thread_self.state == THREAD_RECORDS &&
         agent.options.jvm && agent.options.virtual_threads;
}

/* What a virtual thread says of why it lets go of its carrier; the numbers differ between versions of the JDK. */
static struct {
  jfieldID field; /* NULL: this JDK has none, and its parks are not told */
  jint parking, timed_parking;
} state;

static jint number_of(JNIEnv *jni, jclass class, const char *name)
{
  jfieldID field = (*jni)->GetStaticFieldID(jni, class, name, "I");
  if (field)
    return (*jni)->GetStaticIntField(jni, class, field);
  (*jni)->ExceptionClear(jni);
  return -1;
}

static void find_state(JNIEnv *jni)
{
  jclass class = (*jni)->FindClass(jni, "java/lang/VirtualThread");
  if (class) {
    state.parking = number_of(jni, class, "PARKING");
    state.timed_parking = number_of(jni, class, "TIMED_PARKING");
    state.field = (*jni)->GetFieldID(jni, class, "state", "I");
    (*jni)->DeleteLocalRef(jni, class);
  }
  (*jni)->ExceptionClear(jni);
}

static bool parks(JNIEnv *jni, jthread thread)
{
  if (!state.field)
    return false;
  jint now = (*jni)->GetIntField(jni, thread, state.field);
  return now == state.parking || now == state.timed_parking;
}

/* A virtual thread parks without a native method; it is still on its stack. Sleep is such a park, too. */
static void begin_park(JNIEnv *jni, jthread thread)
{
  struct place_stack stack;
  uint64_t code = place_if_known(agent.jvmti, jni, RAW_BLOCK_PARK, &stack);
  if (!code)
    code = place_of_stack(agent.jvmti, jni, &stack);
  if (stack.in_sleep) {
    block_begin(RAW_BLOCK_SLEEP, code, 0);
    return;
  }
  jobject blocker = thread_park_blocker_of(jni, thread);
  uint64_t object = object_of(agent.jvmti, jni, blocker);
  lock_name_frame(jni, object, &stack);
  (*jni)->DeleteLocalRef(jni, blocker);
  block_begin(RAW_BLOCK_PARK, code, object);
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
  (void)jvmti;
  uint64_t id = thread_self.mounted;
  bool recorded = is_recorded();
  if (recorded && !thread_self.block && parks(jni, thread))
    begin_park(jni, thread);
  thread_self.mounted = 0;
  if (!recorded)
    return;
  block_unmount();
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

void virtual_threads_open(jvmtiEnv *jvmti, JNIEnv *jni)
{
  find_state(jni);
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
