#include "jvmti-agent/wait_owners.h"

#include "common/process/session.h"
#include "common/process/text.h"
#include "jvmti-agent/blocks.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/threads.h"

#include <string.h>

#define SLOTS        32u /* waits that can be asked about at a time; more go unasked */
#define OWNERS_LASTS 1u  /* ms: a wait of less is not asked about */
#define EVERY        2u  /* ms between two looks while a thread waits */
#define AFTER_ONE    (1000u / OWNERS_A_SECOND)

enum slot_state {
  SLOT_FREE,
  SLOT_TAKEN,     /* a thread waits */
  SLOT_ASKING,    /* the watch asks the JVM about it */
  SLOT_ANSWERED,  /* the waiting thread may read the answer */
  SLOT_ABANDONED, /* the wait has ended while the watch asked: the watch frees the slot */
  SLOT_CHANGES    /* its taker fills it in */
};

static struct slot {
  atomic_uint state;
  jweak monitor;
  uint64_t begin;       /* ticks */
  uint64_t owner, code; /* the answer: Thread.getId, 0 unknown; where it is */
} slots[SLOTS];

static atomic_bool begun, sleeps; /* the watch has begun; it would not look for a while */

jthread owner_of_monitor(jvmtiEnv *jvmti, JNIEnv *jni, jobject monitor)
{
  jvmtiMonitorUsage usage;
  if ((*jvmti)->GetObjectMonitorUsage(jvmti, monitor, &usage) != JVMTI_ERROR_NONE)
    return NULL;
  for (jint i = 0; i < usage.waiter_count; i++)
    (*jni)->DeleteLocalRef(jni, usage.waiters[i]);
  for (jint i = 0; i < usage.notify_waiter_count; i++)
    (*jni)->DeleteLocalRef(jni, usage.notify_waiters[i]);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)usage.waiters);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)usage.notify_waiters);
  return usage.owner;
}

static void free_slot(JNIEnv *jni, struct slot *slot)
{
  (*jni)->DeleteWeakGlobalRef(jni, slot->monitor);
  atomic_store_explicit(&slot->state, SLOT_FREE, memory_order_release);
}

static void ask(jvmtiEnv *jvmti, JNIEnv *jni, struct slot *slot)
{
  jobject monitor = (*jni)->NewLocalRef(jni, slot->monitor);
  jthread owner = monitor ? owner_of_monitor(jvmti, jni, monitor) : NULL;
  slot->owner = owner ? thread_id_of(jni, owner) : 0;
  slot->code = owner ? place_of_thread(jvmti, jni, owner, NULL) : 0;
  (*jni)->DeleteLocalRef(jni, owner);
  (*jni)->DeleteLocalRef(jni, monitor);
}

static bool is_due(struct slot *slot, uint64_t now)
{
  unsigned state = SLOT_TAKEN;
  return atomic_load_explicit(&slot->state, memory_order_acquire) == SLOT_TAKEN &&
         now >= slot->begin + OWNERS_LASTS * 1000 * agent.ticks_per_us &&
         atomic_compare_exchange_strong(&slot->state, &state, SLOT_ASKING);
}

static void answer(JNIEnv *jni, struct slot *slot)
{
  unsigned state = SLOT_ASKING;
  if (!atomic_compare_exchange_strong(&slot->state, &state, SLOT_ANSWERED))
    free_slot(jni, slot);
}

/* Asks about a wait that lasts; what is said holds for all that wait for the same monitor. False: no wait is due. */
static bool ask_about_one(jvmtiEnv *jvmti, JNIEnv *jni)
{
  uint64_t now = clock_ticks();
  struct slot *asked = NULL;
  for (unsigned i = 0; i < SLOTS; i++) {
    struct slot *slot = &slots[i];
    if (!is_due(slot, now))
      continue;
    if (!asked) {
      ask(jvmti, jni, slot);
      asked = slot;
    } else if ((*jni)->IsSameObject(jni, asked->monitor, slot->monitor)) {
      slot->owner = asked->owner;
      slot->code = asked->code;
      answer(jni, slot);
    } else {
      unsigned state = SLOT_ASKING;
      if (!atomic_compare_exchange_strong(&slot->state, &state, SLOT_TAKEN))
        free_slot(jni, slot);
    }
  }
  if (asked)
    answer(jni, asked);
  return asked != NULL;
}

static bool any_waits(void)
{
  for (unsigned i = 0; i < SLOTS; i++) {
    unsigned state = atomic_load_explicit(&slots[i].state, memory_order_acquire);
    if (state != SLOT_FREE && state != SLOT_ANSWERED)
      return true;
  }
  return false;
}

static unsigned owners_look(jvmtiEnv *jvmti, JNIEnv *jni)
{
  atomic_store(&sleeps, true);
  if (!any_waits())
    return WATCH_MS;
  atomic_store(&sleeps, false);
  return ask_about_one(jvmti, jni) ? AFTER_ONE : EVERY;
}

void owners_begin(jvmtiEnv *jvmti, JNIEnv *jni)
{
  watch_begin(jvmti, jni, owners_look);
  atomic_store(&begun, true);
}

/* The thread needs its slot no more. True: it has an answer. The watch may take the slot, or put it back, at any time
 * until one of the changes here succeeds. */
static bool owners_give_back(JNIEnv *jni, uint64_t *owner, uint64_t *code)
{
  struct slot *slot = &slots[thread_self.owner_slot - 1];
  unsigned state = SLOT_TAKEN;
  thread_self.owner_slot = 0;
  while (!atomic_compare_exchange_strong(&slot->state, &state, SLOT_CHANGES) && state != SLOT_ANSWERED) {
    if (state == SLOT_ASKING && atomic_compare_exchange_strong(&slot->state, &state, SLOT_ABANDONED))
      return false;
    state = SLOT_TAKEN;
  }
  bool answered = state == SLOT_ANSWERED && slot->owner;
  *owner = slot->owner;
  *code = slot->code;
  free_slot(jni, slot);
  return answered;
}

void owners_wait_begins(JNIEnv *jni, jobject monitor)
{
  uint64_t owner, code;
  if (thread_self.owner_slot) /* of a wait whose end was not recorded */
    (void)owners_give_back(jni, &owner, &code);
  if (!atomic_load_explicit(&begun, memory_order_relaxed))
    return;
  for (unsigned i = 0; i < SLOTS; i++) {
    unsigned state = SLOT_FREE;
    if (atomic_load_explicit(&slots[i].state, memory_order_relaxed) != SLOT_FREE ||
        !atomic_compare_exchange_strong(&slots[i].state, &state, SLOT_CHANGES))
      continue;
    slots[i].monitor = (*jni)->NewWeakGlobalRef(jni, monitor);
    slots[i].begin = clock_ticks();
    atomic_store_explicit(&slots[i].state, SLOT_TAKEN, memory_order_release);
    thread_self.owner_slot = (uint8_t)(i + 1);
    break;
  }
  if (atomic_load_explicit(&sleeps, memory_order_relaxed) && atomic_exchange(&sleeps, false))
    watch_hurry(owners_look);
}

/* Inside of the wait; of one that was held back with the rest of it. */
static void record_owner(uint64_t owner, uint64_t code)
{
  if (thread_self.held.begin) {
    thread_self.held.owner = owner;
    thread_self.held.owner_code = code;
  } else {
    recorder_emit3(RAW_BLOCK_OWNER, 0, code, owner);
  }
}

void owners_wait_ends(JNIEnv *jni, jthread thread)
{
  uint64_t owner, code;
  if (thread_self.owner_slot && owners_give_back(jni, &owner, &code) && owner != thread_id_of(jni, thread))
    record_owner(owner, code);
}

#define LINES_MOST 10000u /* in the process file */

static struct {
  uint32_t lines;
  jclass ownable, thread; /* java.util.concurrent.locks.AbstractOwnableSynchronizer and java.lang.Thread */
  jfieldID owner;
} known;

static jclass class_for_ever(JNIEnv *jni, const char *name)
{
  jclass class = (*jni)->FindClass(jni, name);
  return class ? (*jni)->NewGlobalRef(jni, class) : NULL;
}

bool owned_wait_open(JNIEnv *jni)
{
  known.ownable = class_for_ever(jni, "java/util/concurrent/locks/AbstractOwnableSynchronizer");
  known.thread = class_for_ever(jni, "java/lang/Thread");
  known.owner =
      known.ownable ? (*jni)->GetFieldID(jni, known.ownable, "exclusiveOwnerThread", "Ljava/lang/Thread;") : NULL;
  (*jni)->ExceptionClear(jni);
  return known.thread && known.owner;
}

bool owned_wait_is_lock(JNIEnv *jni, jobject object)
{
  return object && known.owner && (*jni)->IsInstanceOf(jni, object, known.ownable);
}

static enum raw_block owned_wait_kind_of(jint state)
{
  return (state & JVMTI_THREAD_STATE_PARKED) != 0                     ? RAW_BLOCK_PARK
         : (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) != 0 ? RAW_BLOCK_ENTER
                                                                      : RAW_BLOCK_JOIN;
}

/* Returns what a thread waits for, if it has an owner; otherwise NULL. */
static jobject owned_wait_awaited(jvmtiEnv *jvmti, JNIEnv *jni, const struct owned_wait *wait)
{
  jobject object = NULL;
  if (wait->kind == RAW_BLOCK_PARK)
    object = thread_park_blocker_of(jni, wait->thread);
  else if ((*jvmti)->GetCurrentContendedMonitor(jvmti, wait->thread, &object) != JVMTI_ERROR_NONE)
    return NULL;
  if (object && (wait->kind == RAW_BLOCK_ENTER ||
                 (*jni)->IsInstanceOf(jni, object, wait->kind == RAW_BLOCK_PARK ? known.ownable : known.thread)))
    return object;
  (*jni)->DeleteLocalRef(jni, object);
  return NULL;
}

bool owned_wait_of(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, struct owned_wait *wait)
{
  const jint waits =
      JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER | JVMTI_THREAD_STATE_IN_OBJECT_WAIT | JVMTI_THREAD_STATE_PARKED;
  jint state;
  if ((*jvmti)->GetThreadState(jvmti, thread, &state) != JVMTI_ERROR_NONE || (state & waits) == 0 ||
      (state & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT) != 0)
    return false;
  *wait = (struct owned_wait){.thread = thread, .kind = owned_wait_kind_of(state)};
  wait->what = owned_wait_awaited(jvmti, jni, wait);
  if (!wait->what && wait->kind != RAW_BLOCK_JOIN) /* newer JVMs do not report the object */
    return false;
  wait->id = thread_id_of(jni, thread);
  wait->object = object_of(jvmti, jni, wait->what);
  return true;
}

void owned_wait_find_owner(jvmtiEnv *jvmti, JNIEnv *jni, struct owned_wait *wait)
{
  if (wait->what)
    wait->owner = wait->kind == RAW_BLOCK_PARK    ? (*jni)->GetObjectField(jni, wait->what, known.owner)
                  : wait->kind == RAW_BLOCK_ENTER ? owner_of_monitor(jvmti, jni, wait->what)
                                                  : (*jni)->NewLocalRef(jni, wait->what); /* the thread that it joins */
}

void owned_wait_drop(JNIEnv *jni, const struct owned_wait *wait)
{
  (*jni)->DeleteLocalRef(jni, wait->owner);
  (*jni)->DeleteLocalRef(jni, wait->what);
}

void owned_wait_begin_recording(void)
{
  known.lines = 0;
}

bool owned_wait_report(jvmtiEnv *jvmti, JNIEnv *jni, const struct owned_wait *wait)
{
  char line[192];
  bool in_join;
  uint64_t place = place_of_thread(jvmti, jni, wait->thread, &in_join);
  if (!wait->owner && wait->kind == RAW_BLOCK_JOIN && !in_join)
    return true;
  struct text text = TEXT_OVER(line);
  text_add(&text, "stuck: ");
  text_add_number(&text, clock_ticks());
  text_add(&text, " ");
  text_add_number(&text, wait->id);
  text_add(&text, " ");
  text_add_number(&text, wait->kind);
  text_add(&text, " ");
  text_add_hex(&text, place);
  text_add(&text, " ");
  text_add_hex(&text, wait->object);
  text_add(&text, " ");
  text_add_number(&text, thread_id_of(jni, wait->owner));
  text_add(&text, " ");
  text_add_hex(&text, wait->owner ? place_of_thread(jvmti, jni, wait->owner, NULL) : 0);
  text_add(&text, "\n");
  return !text.cut && known.lines++ < LINES_MOST && session_describe(line, text.used);
}

#define LATCH        "java/util/concurrent/CountDownLatch"
#define SYNC         "java.util.concurrent.CountDownLatch$Sync" /* what a thread parks for that waits for a latch */
#define LATCHES_MOST 1024u                                      /* of threads that wait; more are unknown */

static struct jdk_field termination = JDK_FIELD("java/lang/VirtualThread", "termination", "L" LATCH ";"),
                        sync_of = JDK_FIELD(LATCH, "sync", "L" LATCH "$Sync;");

static struct {
  bool met, wanted;
  unsigned count;
  struct {
    jobject sync, thread; /* global references */
  } latches[LATCHES_MOST];
} joins;

void joins_forget(JNIEnv *jni)
{
  for (; joins.count > 0; joins.count--) {
    (*jni)->DeleteGlobalRef(jni, joins.latches[joins.count - 1].sync);
    (*jni)->DeleteGlobalRef(jni, joins.latches[joins.count - 1].thread);
  }
  joins.wanted = joins.met;
  joins.met = false;
}

bool joins_are_wanted(void)
{
  return joins.wanted;
}

void joins_add(JNIEnv *jni, jthread thread)
{
  if (joins.count == LATCHES_MOST)
    return;
  jobject latch = jdk_field_object(jni, &termination, thread), sync = jdk_field_object(jni, &sync_of, latch);
  if (sync) {
    joins.latches[joins.count].sync = (*jni)->NewGlobalRef(jni, sync);
    joins.latches[joins.count++].thread = (*jni)->NewGlobalRef(jni, thread);
  }
  (*jni)->DeleteLocalRef(jni, sync);
  (*jni)->DeleteLocalRef(jni, latch);
}

bool joins_may_be(const struct owned_wait *wait)
{
  const char *class = wait->kind == RAW_BLOCK_PARK ? object_class(wait->object) : NULL;
  bool may_be = class && strcmp(class, SYNC) == 0;
  joins.met |= may_be;
  return may_be;
}

void joins_find(jvmtiEnv *jvmti, JNIEnv *jni, struct owned_wait *wait)
{
  unsigned at = joins_may_be(wait) ? joins.count : 0;
  while (at > 0 && !(*jni)->IsSameObject(jni, joins.latches[at - 1].sync, wait->what))
    at--;
  if (at == 0)
    return;
  (*jni)->DeleteLocalRef(jni, wait->what);
  wait->kind = RAW_BLOCK_JOIN;
  wait->what = (*jni)->NewLocalRef(jni, joins.latches[at - 1].thread);
  wait->owner = (*jni)->NewLocalRef(jni, joins.latches[at - 1].thread);
  wait->object = object_of(jvmti, jni, wait->what);
}
