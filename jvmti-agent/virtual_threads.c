#include "jvmti-agent/virtual_threads.h"

#include "jvmti-agent/blocks.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/io.h"
#include "jvmti-agent/lock_names.h"
#include "jvmti-agent/virtual_waits.h"
#include "jvmti-agent/wait_owners.h"

#include <stdatomic.h>
#include <string.h>

static bool is_recorded(void)
{
  return thread_is_recorded() && agent.options.jvm && agent.options.virtual_threads;
}

/* What a virtual thread says of why it lets go of its carrier; the numbers differ between versions of the JDK. */
static struct {
  atomic_bool known;
  _Atomic(jfieldID) field; /* NULL: this JDK has none, and its parks are not told */
  _Atomic jint parking, timed_parking, running;
  _Atomic(jmethodID) run; /* the JDK's own, below all that a virtual thread does; NULL: not met yet */
} virtual_threads_state;

static void take_field(jvmtiEnv *jvmti, JNIEnv *jni, jclass class, jfieldID field)
{
  char *name;
  if ((*jvmti)->GetFieldName(jvmti, class, field, &name, NULL, NULL) != JVMTI_ERROR_NONE)
    return;
  if (!strcmp(name, "PARKING"))
    atomic_store(&virtual_threads_state.parking, (*jni)->GetStaticIntField(jni, class, field));
  else if (!strcmp(name, "TIMED_PARKING"))
    atomic_store(&virtual_threads_state.timed_parking, (*jni)->GetStaticIntField(jni, class, field));
  else if (!strcmp(name, "RUNNING"))
    atomic_store(&virtual_threads_state.running, (*jni)->GetStaticIntField(jni, class, field));
  else if (!strcmp(name, "state"))
    atomic_store(&virtual_threads_state.field, field);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
}

/* Of the first virtual thread that lets go. Not before: to ask a class for its numbers is to initialize it, which loads
 * the pools before they are woven. JVMTI lists the fields; JNI would throw where one is missing. Who comes second finds
 * the same. */
static void find_state(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  jclass class = (*jni)->GetObjectClass(jni, thread);
  jint count = 0;
  jfieldID *fields = NULL;
  if (class && (*jvmti)->GetClassFields(jvmti, class, &count, &fields) == JVMTI_ERROR_NONE) {
    for (jint i = 0; i < count; i++)
      take_field(jvmti, jni, class, fields[i]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)fields);
  }
  (*jni)->DeleteLocalRef(jni, class);
  atomic_store(&virtual_threads_state.known, true);
}

/* Why a virtual thread lets go of its carrier. */
enum leaving { LEAVES_OTHERWISE, LEAVES_TO_PARK, LEAVES_FOR_EVER };

static bool is_of_virtual_threads(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
  jclass class;
  char *signature;
  if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE)
    return false;
  bool is = (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE;
  (*jni)->DeleteLocalRef(jni, class);
  if (!is)
    return false;
  is = strncmp(signature, "Ljava/lang/VirtualThread", strlen("Ljava/lang/VirtualThread")) == 0;
  (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
  return is;
}

/* Nothing of the thread's own is on its stack any more; what is left there differs between versions of the JDK. */
static bool has_ended(jvmtiEnv *jvmti, JNIEnv *jni)
{
  enum { LEFT_MOST = 3 };
  jvmtiFrameInfo frames[LEFT_MOST + 1];
  jint count = 0;
  if ((*jvmti)->GetStackTrace(jvmti, NULL, 0, LEFT_MOST + 1, frames, &count) != JVMTI_ERROR_NONE || count < 1 ||
      count > LEFT_MOST)
    return false;
  if (frames[0].method == atomic_load_explicit(&virtual_threads_state.run, memory_order_relaxed))
    return true;
  if (!is_of_virtual_threads(jvmti, jni, frames[0].method))
    return false;
  atomic_store_explicit(&virtual_threads_state.run, frames[0].method, memory_order_relaxed);
  return true;
}

static enum leaving leaving(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  if (!atomic_load_explicit(&virtual_threads_state.known, memory_order_acquire))
    find_state(jvmti, jni, thread);
  jfieldID field = atomic_load_explicit(&virtual_threads_state.field, memory_order_relaxed);
  jint now = field ? (*jni)->GetIntField(jni, thread, field) : 0;
  if (now == 0)
    return LEAVES_OTHERWISE;
  if (now == atomic_load_explicit(&virtual_threads_state.running, memory_order_relaxed)) /* or it waits for a monitor */
    return has_ended(jvmti, jni) ? LEAVES_FOR_EVER : LEAVES_OTHERWISE;
  bool parks = now == atomic_load_explicit(&virtual_threads_state.parking, memory_order_relaxed) ||
               now == atomic_load_explicit(&virtual_threads_state.timed_parking, memory_order_relaxed);
  return parks ? LEAVES_TO_PARK : LEAVES_OTHERWISE;
}

/* A virtual thread parks without a native method; it is still on its stack. Sleep is such a park, too. */
static void begin_park(JNIEnv *jni, jthread thread)
{
  struct place_stack stack;
  uint64_t object, code = place_if_known(agent.jvmti, jni, RAW_BLOCK_PARK, &stack);
  enum raw_block io = io_take_poll(&object);
  if (!code)
    code = place_of_stack(agent.jvmti, jni, &stack);
  if (io) {
    block_begin(io, code, object);
    return;
  }
  if (stack.in_sleep) {
    block_begin(RAW_BLOCK_SLEEP, code, 0);
    return;
  }
  jobject blocker = thread_park_blocker_of(jni, thread);
  object = object_of(agent.jvmti, jni, blocker);
  lock_name_frame(jni, object, &stack);
  if (stuck_wait_is_owned(jni, blocker))
    virtual_wait_begins(jni, thread, thread_self.mounted, false, object);
  (*jni)->DeleteLocalRef(jni, blocker);
  block_begin(RAW_BLOCK_PARK, code, object);
}

/* These events are HotSpot's own: they are found by their names, and called with what their descriptions say. */
static void JNICALL on_mount(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  (void)jvmti;
  uint64_t id = thread_id_of(jni, thread);
  thread_self.mounted = id;
  thread_self.polled = 0;
  virtual_wait_ends(id, false); /* of a monitor it is told apart: the thread may not have let go of its carrier */
  bool kept = thread_self.enter.thread == id && recorder_self && recorder_self != RECORDER_NONE &&
              thread_self.enter.cursor == recorder_self->cursor; /* nothing has happened on the carrier since */
  thread_self.enter.thread = 0;
  if (!is_recorded())
    return;
  recorder_emit3(RAW_VIRTUAL_MOUNT, 0, 0, id);
  if (!kept)
    return;
  thread_self.enter.again = clock_ticks();
  block_begin(RAW_BLOCK_ENTER, thread_self.enter.code, thread_self.enter.object);
}

static void JNICALL on_unmount(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  uint64_t id = thread_self.mounted;
  bool recorded = is_recorded();
  enum leaving why = recorded ? leaving(jvmti, jni, thread) : LEAVES_OTHERWISE;
  if (why == LEAVES_TO_PARK && needs_any(LIVE_NEED_PARKS) && !thread_self.block)
    begin_park(jni, thread);
  thread_self.mounted = 0;
  thread_self.polled = 0; /* it may have let go for something else */
  if (!recorded)
    return;
  bool enters = thread_self.block == RAW_BLOCK_ENTER;
  block_unmount();
  recorder_emit3(RAW_VIRTUAL_UNMOUNT, why == LEAVES_FOR_EVER, 0, id);
  if (enters && recorder_self && recorder_self != RECORDER_NONE) { /* if it can, which is not known yet */
    thread_self.enter.thread = id;
    thread_self.enter.cursor = recorder_self->cursor;
    thread_self.enter.again = 0;
  }
}

static void virtual_threads_give_back(jvmtiEnv *jvmti, jvmtiExtensionEventInfo *event)
{
  for (jint i = 0; i < event->param_count; i++)
    (*jvmti)->Deallocate(jvmti, (unsigned char *)event->params[i].name);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)event->params);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)event->id);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)event->short_description);
}

void virtual_threads_open(jvmtiEnv *jvmti)
{
  static bool opened; /* the events stay on */
  jint count;
  jvmtiExtensionEventInfo *events;
  if (opened || (*jvmti)->GetExtensionEvents(jvmti, &count, &events) != JVMTI_ERROR_NONE)
    return;
  opened = true;
  for (jint i = 0; i < count; i++) {
    jvmtiExtensionEvent call =
        !strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadMount")     ? (jvmtiExtensionEvent)on_mount
        : !strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadUnmount") ? (jvmtiExtensionEvent)on_unmount
                                                                               : NULL;
    jint index = events[i].extension_event_index;
    if (call && (*jvmti)->SetExtensionEventCallback(jvmti, index, call) == JVMTI_ERROR_NONE)
      (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, (jvmtiEvent)index, NULL);
    virtual_threads_give_back(jvmti, &events[i]);
  }
  (*jvmti)->Deallocate(jvmti, (unsigned char *)events);
}
