#include "jvmti-agent/owners.h"

#include "jvmti-agent/blocks.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/threads.h"

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
static void tell(uint64_t owner, uint64_t code)
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
    tell(owner, code);
}
