#include "jvmti-agent/virtual_threads.h"

#include "common/budget/mix.h"
#include "common/recorder/clock.h"
#include "jvmti-agent/blocks.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/io.h"
#include "jvmti-agent/lock_names.h"
#include "jvmti-agent/wait_owners.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PART 1024u /* waits: only parts of the table that were ever used are looked at */

enum wait_state {
  WAIT_FREE,
  WAIT_CHANGES, /* the thread that set it has the wait for itself */
  WAIT_GOES_ON,
  WAIT_HELD, /* it goes on, and the watch looks at it */
  WAIT_LEFT, /* it has ended meanwhile */
  WAIT_OVER  /* the thread does not wait; it is kept for its next wait */
};

static struct virtual_wait
    *virtual_waits_table; /* VIRTUAL_WAITS_MOST, by id; memory appears as it is used. Set before `opened` */
static atomic_bool virtual_waits_used[VIRTUAL_WAITS_MOST / PART];
static atomic_bool virtual_waits_opened, virtual_waits_any; /* any: a thread has waited */

void virtual_waits_open(void)
{
  if (!virtual_waits_table)
    virtual_waits_table = calloc(VIRTUAL_WAITS_MOST, sizeof *virtual_waits_table);
  atomic_store(&virtual_waits_opened, virtual_waits_table != NULL);
}

static bool virtual_waits_take(struct virtual_wait *wait, unsigned from, unsigned to)
{
  return atomic_compare_exchange_strong_explicit(&wait->state, &from, to, memory_order_acquire, memory_order_relaxed);
}

static void virtual_waits_put(struct virtual_wait *wait, unsigned state)
{
  atomic_store_explicit(&wait->state, state, memory_order_release);
}

/* The watch still looks at the thread's wait before: it learns that there is a further one. */
static bool begin_while_held(struct virtual_wait *wait, uint64_t id, bool monitor, uint64_t object)
{
  if (atomic_load_explicit(&wait->state, memory_order_relaxed) != WAIT_LEFT ||
      atomic_load_explicit(&wait->id, memory_order_relaxed) != id)
    return false;
  atomic_store_explicit(&wait->monitor, monitor, memory_order_relaxed);
  atomic_store_explicit(&wait->object, object, memory_order_relaxed);
  atomic_store_explicit(&wait->begin, clock_ticks(), memory_order_release);
  return virtual_waits_take(wait, WAIT_LEFT, WAIT_HELD);
}

/* A wait of another thread's that goes on keeps its place. */
static bool take_place(struct virtual_wait *wait, uint64_t id)
{
  unsigned state = atomic_load_explicit(&wait->state, memory_order_relaxed);
  bool again = state == WAIT_GOES_ON && atomic_load_explicit(&wait->id, memory_order_relaxed) == id;
  return (again || state == WAIT_FREE || state == WAIT_OVER) && virtual_waits_take(wait, state, WAIT_CHANGES);
}

void virtual_wait_begins(JNIEnv *jni, jthread thread, uint64_t id, bool monitor, uint64_t object)
{
  if (!atomic_load_explicit(&virtual_waits_opened, memory_order_acquire))
    return;
  struct virtual_wait *wait = &virtual_waits_table[id % VIRTUAL_WAITS_MOST];
  if (begin_while_held(wait, id, monitor, object) || !take_place(wait, id))
    return;
  if (!wait->thread || atomic_load_explicit(&wait->id, memory_order_relaxed) != id) {
    if (wait->thread)
      (*jni)->DeleteWeakGlobalRef(jni, wait->thread);
    wait->thread = (*jni)->NewWeakGlobalRef(jni, thread);
    if (!wait->thread) {
      (*jni)->ExceptionClear(jni);
      virtual_waits_put(wait, WAIT_FREE);
      return;
    }
    atomic_store_explicit(&wait->id, id, memory_order_relaxed);
    atomic_store_explicit(&virtual_waits_used[id % VIRTUAL_WAITS_MOST / PART], true, memory_order_relaxed);
    atomic_store_explicit(&virtual_waits_any, true, memory_order_release);
  }
  atomic_store_explicit(&wait->idle, false, memory_order_relaxed);
  atomic_store_explicit(&wait->monitor, monitor, memory_order_relaxed);
  atomic_store_explicit(&wait->object, object, memory_order_relaxed);
  atomic_store_explicit(&wait->begin, clock_ticks(), memory_order_relaxed);
  virtual_waits_put(wait, WAIT_GOES_ON);
}

void virtual_wait_ends(uint64_t id, bool monitor)
{
  if (!atomic_load_explicit(&virtual_waits_any, memory_order_acquire))
    return;
  struct virtual_wait *wait = &virtual_waits_table[id % VIRTUAL_WAITS_MOST];
  if (atomic_load_explicit(&wait->id, memory_order_relaxed) != id ||
      atomic_load_explicit(&wait->monitor, memory_order_relaxed) != monitor)
    return;
  while (!virtual_waits_take(wait, WAIT_GOES_ON, WAIT_OVER)) {
    if (atomic_load_explicit(&wait->state, memory_order_relaxed) == WAIT_GOES_ON)
      continue; /* the watch has just let go of it */
    if (atomic_load_explicit(&wait->state, memory_order_relaxed) != WAIT_HELD ||
        virtual_waits_take(wait, WAIT_HELD, WAIT_LEFT))
      return;
  }
}

static void let_go(struct virtual_wait *wait)
{
  if (!virtual_waits_take(wait, WAIT_HELD, WAIT_GOES_ON))
    virtual_waits_put(wait, WAIT_OVER);
}

/* Frees the slot of a thread that has not waited since the last look: the thread may have ended. */
static void virtual_waits_forget(JNIEnv *jni, struct virtual_wait *wait)
{
  if (!atomic_exchange_explicit(&wait->idle, true, memory_order_relaxed) ||
      !virtual_waits_take(wait, WAIT_OVER, WAIT_CHANGES))
    return;
  if (atomic_load_explicit(&wait->idle, memory_order_relaxed)) {
    (*jni)->DeleteWeakGlobalRef(jni, wait->thread);
    wait->thread = NULL;
    virtual_waits_put(wait, WAIT_FREE);
  } else {
    virtual_waits_put(wait, WAIT_OVER);
  }
}

void virtual_waits_each(JNIEnv *jni, uint64_t lasts, virtual_wait_look *look, void *context)
{
  uint64_t now = clock_ticks();
  bool goes_on = atomic_load(&virtual_waits_any);
  for (size_t i = 0; i < VIRTUAL_WAITS_MOST && goes_on; i++) {
    struct virtual_wait *wait = &virtual_waits_table[i];
    if (!atomic_load_explicit(&virtual_waits_used[i / PART], memory_order_relaxed)) {
      i += PART - 1;
      continue;
    }
    unsigned state = atomic_load_explicit(&wait->state, memory_order_relaxed);
    if (state == WAIT_OVER)
      virtual_waits_forget(jni, wait);
    if (state != WAIT_GOES_ON || now < atomic_load_explicit(&wait->begin, memory_order_relaxed) + lasts ||
        !virtual_waits_take(wait, WAIT_GOES_ON, WAIT_HELD))
      continue;
    goes_on = look(context, jni, wait);
    let_go(wait);
  }
}

struct virtual_wait *virtual_wait_of(uint64_t id)
{
  if (!atomic_load_explicit(&virtual_waits_any, memory_order_acquire))
    return NULL;
  struct virtual_wait *wait = &virtual_waits_table[id % VIRTUAL_WAITS_MOST];
  unsigned state = atomic_load_explicit(&wait->state, memory_order_acquire);
  bool waits_now = state == WAIT_GOES_ON || state == WAIT_HELD;
  return waits_now && atomic_load_explicit(&wait->id, memory_order_relaxed) == id ? wait : NULL;
}

/* True if the wait that began at this time goes on. */
static bool virtual_wait_goes_on(const struct virtual_wait *wait, uint64_t begin)
{
  unsigned state = atomic_load_explicit(&wait->state, memory_order_acquire);
  return (state == WAIT_GOES_ON || state == WAIT_HELD) &&
         atomic_load_explicit(&wait->begin, memory_order_relaxed) == begin;
}

#define LISTS VIRTUAL_MONITORS_MOST

static struct {
  struct hold {
    jweak monitor, thread;
    uint64_t number;
    const struct virtual_wait *wait;
    uint64_t begin; /* the wait's */
    uint32_t next;  /* in its list: index + 1; 0: none */
  } list[VIRTUAL_MONITORS_MOST];
  uint32_t count;
  uint32_t first[LISTS]; /* by number: index + 1; 0: none */
} holds;

static uint32_t *list_of(uint64_t number)
{
  return &holds.first[mix_upper(number) >> 52 & (LISTS - 1)];
}

static void link_in(uint32_t index)
{
  uint32_t *first = list_of(holds.list[index].number);
  holds.list[index].next = *first;
  *first = index + 1;
}

static void drop(JNIEnv *jni, const struct hold *hold)
{
  if (hold->monitor)
    (*jni)->DeleteWeakGlobalRef(jni, hold->monitor);
  if (hold->thread)
    (*jni)->DeleteWeakGlobalRef(jni, hold->thread);
}

static void add_hold(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject monitor, const struct virtual_wait *wait)
{
  struct hold hold = {.monitor = (*jni)->NewWeakGlobalRef(jni, monitor),
                      .thread = (*jni)->NewWeakGlobalRef(jni, thread),
                      .number = object_of(jvmti, jni, monitor),
                      .wait = wait,
                      .begin = wait->looked_at};
  if (!hold.monitor || !hold.thread || !hold.number) {
    (*jni)->ExceptionClear(jni);
    drop(jni, &hold);
    return;
  }
  holds.list[holds.count] = hold;
  link_in(holds.count++);
}

void virtual_monitors_add(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, const struct virtual_wait *wait)
{
  jint count = 0;
  jobject *monitors = NULL;
  if ((*jvmti)->GetOwnedMonitorInfo(jvmti, thread, &count, &monitors) != JVMTI_ERROR_NONE)
    return;
  for (jint i = 0; i < count; i++) {
    if (holds.count < VIRTUAL_MONITORS_MOST)
      add_hold(jvmti, jni, thread, monitors[i], wait);
    (*jni)->DeleteLocalRef(jni, monitors[i]);
  }
  (*jvmti)->Deallocate(jvmti, (unsigned char *)monitors);
}

void virtual_monitors_forget(JNIEnv *jni)
{
  uint32_t kept = 0;
  if (holds.count == 0)
    return;
  memset(holds.first, 0, sizeof holds.first);
  for (uint32_t i = 0; i < holds.count; i++) {
    if (!virtual_wait_goes_on(holds.list[i].wait, holds.list[i].begin)) {
      drop(jni, &holds.list[i]);
      continue;
    }
    holds.list[kept] = holds.list[i];
    link_in(kept++);
  }
  holds.count = kept;
}

jthread virtual_monitors_find(JNIEnv *jni, jobject monitor, uint64_t number)
{
  for (uint32_t i = *list_of(number); i != 0; i = holds.list[i - 1].next) {
    const struct hold *hold = &holds.list[i - 1];
    if (hold->number == number && virtual_wait_goes_on(hold->wait, hold->begin) &&
        (*jni)->IsSameObject(jni, hold->monitor, monitor))
      return (*jni)->NewLocalRef(jni, hold->thread);
  }
  return NULL;
}

static bool is_recorded(void)
{
  return thread_is_recorded() && agent.options.jvm && agent.options.virtual_threads;
}

/* States in which a virtual thread lets go of its carrier; the numbers differ between versions of the JDK. */
static struct {
  atomic_bool known;
  _Atomic(jfieldID) field; /* NULL: this JDK has none, and its parks are not recorded */
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

/* Finds the numbers of states when the first virtual thread lets go. Earlier, the question would initialize the class,
 * which loads the pools before they are woven. JVMTI lists the fields; JNI would throw if one is missing. A second
 * thread finds the same. */
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
  if (owned_wait_is_lock(jni, blocker))
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
  virtual_wait_ends(id, false); /* not of a monitor: the thread may not have let go of its carrier */
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
