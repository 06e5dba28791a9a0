#include "jvmti-agent/stuck_threads.h"

#include "common/budget/mix.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/virtual_threads.h"
#include "jvmti-agent/wait_owners.h"

#include <string.h>

#define STUCK_VIRTUAL_LASTS 500u   /* ms: a wait of less is not looked at */
#define LOOK_AGAIN          500u   /* ms */
#define LOOK_MOST           10000u /* us that each half of a look takes; what is left is done in the next ones */
#define OBJECTS             4096u  /* by which waits are counted */
#define FEW                 64u    /* waits for one object: they are looked at before the waits of a crowd */
#define STEPS_MOST          256u   /* threads in turn */
#define REPORTED_MOST       1000u  /* virtual threads in a recording; each is a location */
#define ASKED_MOST          4u     /* owners of monitors in a look: to ask stops the JVM */
#define LOCAL_ROOM          (3 * (jint)STEPS_MOST)

static struct {
  uint32_t round;    /* of recordings: each reports anew */
  unsigned reported; /* virtual threads */
  uint64_t until;    /* ticks: the look ends */
  jclass thread;     /* of virtual threads; NULL: none has waited yet */
  unsigned asked;    /* for owners of monitors, in this look */
  struct {
    jobject monitor, owner; /* global references; owner NULL: unknown */
  } answers[ASKED_MOST];
  uint32_t waits[OBJECTS]; /* that last, by object */
  bool any;
  bool of_crowds; /* these are looked at now */
} virtual_look;

/* A thread's wait, and its owner's wait, and so on. */
struct way {
  struct owned_wait steps[STEPS_MOST];
  unsigned count;
  bool closed; /* the last one's owner is one of them */
  bool cut;    /* there was no time to find out more */
};

static void stuck_virtual_begin(void)
{
  virtual_look.round++;
  virtual_look.reported = 0;
  virtual_waits_open();
}

static void ask_for_owner(jvmtiEnv *jvmti, JNIEnv *jni, struct owned_wait *wait)
{
  owned_wait_find_owner(jvmti, jni, wait);
  if (!wait->owner)
    joins_find(jvmti, jni, wait);
}

static void stuck_virtual_find_owner(jvmtiEnv *jvmti, JNIEnv *jni, struct owned_wait *wait)
{
  if (wait->kind == RAW_BLOCK_ENTER)
    wait->owner = virtual_monitors_find(jni, wait->what, wait->object);
  if (!wait->owner)
    ask_for_owner(jvmti, jni, wait);
}

/* Returns the JVM's answer in this look. False: it was not asked. */
static bool find_answer(JNIEnv *jni, struct owned_wait *wait)
{
  for (unsigned i = 0; i < virtual_look.asked; i++)
    if ((*jni)->IsSameObject(jni, virtual_look.answers[i].monitor, wait->what)) {
      wait->owner = (*jni)->NewLocalRef(jni, virtual_look.answers[i].owner);
      return true;
    }
  return false;
}

static void forget_answers(JNIEnv *jni)
{
  for (; virtual_look.asked > 0; virtual_look.asked--) {
    (*jni)->DeleteGlobalRef(jni, virtual_look.answers[virtual_look.asked - 1].monitor);
    (*jni)->DeleteGlobalRef(jni, virtual_look.answers[virtual_look.asked - 1].owner);
  }
}

/* The same, but the JVM is asked so often in a look, and once about an object. False: not now. */
static bool find_owner(jvmtiEnv *jvmti, JNIEnv *jni, struct owned_wait *wait)
{
  if (wait->kind == RAW_BLOCK_ENTER)
    wait->owner = virtual_monitors_find(jni, wait->what, wait->object);
  if (wait->owner || (wait->kind == RAW_BLOCK_ENTER && find_answer(jni, wait)))
    return true;
  if (wait->kind == RAW_BLOCK_ENTER && virtual_look.asked == ASKED_MOST)
    return false;
  ask_for_owner(jvmti, jni, wait);
  if (wait->kind == RAW_BLOCK_ENTER) {
    virtual_look.answers[virtual_look.asked].monitor = (*jni)->NewGlobalRef(jni, wait->what);
    virtual_look.answers[virtual_look.asked++].owner = (*jni)->NewGlobalRef(jni, wait->owner);
  }
  return true;
}

static bool stuck_virtual_is_on(JNIEnv *jni, const struct way *way, jthread thread)
{
  for (unsigned i = 0; i < way->count; i++)
    if ((*jni)->IsSameObject(jni, way->steps[i].thread, thread))
      return true;
  return false;
}

/* The platform thread whose end a virtual one waits for, if the JVM does not report it; a local reference or NULL. */
static jthread find_joined(jvmtiEnv *jvmti, JNIEnv *jni, const struct owned_wait *by)
{
  const struct virtual_wait *wait = virtual_wait_of(by->id);
  uint64_t object = wait ? atomic_load(&wait->object) : 0;
  jint count;
  jthread *threads, found = NULL;
  if (!(object & VIRTUAL_JOINS) || (*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
    return NULL;
  for (jint i = 0; i < count; i++)
    if (!found && thread_id_of(jni, threads[i]) == (object & ~VIRTUAL_JOINS))
      found = threads[i];
    else
      (*jni)->DeleteLocalRef(jni, threads[i]);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
  return found;
}

/* All references are local ones of the caller's frame. */
static void follow(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, struct way *way)
{
  way->count = 0;
  way->closed = way->cut = false;
  while (thread && way->count < STEPS_MOST) {
    struct owned_wait *wait = &way->steps[way->count];
    if (!owned_wait_of(jvmti, jni, thread, wait))
      return;
    if (!wait->what && wait->kind == RAW_BLOCK_JOIN) {
      wait->what = find_joined(jvmti, jni, wait);
      wait->object = object_of(jvmti, jni, wait->what);
    }
    if (!wait->what)
      return;
    way->cut = !find_owner(jvmti, jni, wait);
    way->count++;
    thread = wait->owner;
    way->closed = thread && stuck_virtual_is_on(jni, way, thread);
    if (way->closed)
      return;
  }
}

/* A reader of its line finds its location. */
static void report_virtual(jvmtiEnv *jvmti, JNIEnv *jni, const struct owned_wait *step, struct virtual_wait *wait)
{
  uint64_t begin = atomic_load(&wait->begin);
  wait->reported = true;
  if (virtual_look.reported++ < REPORTED_MOST) {
    threads_record_virtual(jni, step->thread, begin);
    owned_wait_report(jvmti, jni, step);
  }
}

/* The wait's own memory is of a wait before, or of a recording before. */
static void renew(struct virtual_wait *wait)
{
  uint64_t begin = atomic_load(&wait->begin);
  if (wait->looked_at == begin && wait->round == virtual_look.round)
    return;
  wait->looked_at = begin;
  wait->round = virtual_look.round;
  wait->due = 0;
  wait->pause = LOOK_AGAIN;
  wait->reported = false;
}

static bool is_virtual(JNIEnv *jni, jthread thread)
{
  return virtual_look.thread && (*jni)->IsInstanceOf(jni, thread, virtual_look.thread);
}

/* Reports waits that are not reported yet; platform threads again if one is new, because their owner may be missing.
 */
static void report_all_waits(jvmtiEnv *jvmti, JNIEnv *jni, const struct way *way)
{
  bool new = false;
  for (unsigned i = 0; i < way->count; i++) {
    struct virtual_wait *wait = is_virtual(jni, way->steps[i].thread) ? virtual_wait_of(way->steps[i].id) : NULL;
    if (!wait)
      continue;
    renew(wait);
    new |= !wait->reported;
    if (!wait->reported)
      report_virtual(jvmti, jni, &way->steps[i], wait);
  }
  for (unsigned i = 0; new && i < way->count; i++)
    if (!is_virtual(jni, way->steps[i].thread))
      owned_wait_report(jvmti, jni, &way->steps[i]);
}

/* Follows a thread's wait. False: there was no time to find out where it leads. */
static bool follow_and_tell(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  static struct way way;
  if ((*jni)->PushLocalFrame(jni, LOCAL_ROOM) != 0) {
    (*jni)->ExceptionClear(jni);
    return true;
  }
  follow(jvmti, jni, thread, &way);
  if (way.closed)
    report_all_waits(jvmti, jni, &way);
  (*jni)->PopLocalFrame(jni, NULL);
  return way.closed || !way.cut;
}

static jthread thread_of(JNIEnv *jni, struct virtual_wait *wait)
{
  jthread thread = (*jni)->NewLocalRef(jni, wait->thread);
  if (thread && !virtual_look.thread) {
    jclass class = (*jni)->GetObjectClass(jni, thread);
    virtual_look.thread = (*jni)->NewGlobalRef(jni, class);
    (*jni)->DeleteLocalRef(jni, class);
  }
  return thread;
}

static uint32_t *stuck_virtual_waits_for(const struct virtual_wait *wait)
{
  return &virtual_look.waits[mix_upper(atomic_load(&wait->object)) >> 52 & (OBJECTS - 1)];
}

static bool stuck_virtual_count(void *context, JNIEnv *jni, struct virtual_wait *wait)
{
  (void)context, (void)jni;
  (*stuck_virtual_waits_for(wait))++;
  return virtual_look.any = true;
}

static bool is_of_crowd(const struct virtual_wait *wait)
{
  return *stuck_virtual_waits_for(wait) > FEW;
}

/* First all that have monitors are known, then waits are followed. */
static bool ask_for_holds(void *jvmti, JNIEnv *jni, struct virtual_wait *wait)
{
  if (is_of_crowd(wait) != virtual_look.of_crowds ||
      (wait->looked_at == atomic_load(&wait->begin) && wait->round == virtual_look.round))
    return true;
  renew(wait);
  jthread thread = thread_of(jni, wait);
  if (thread)
    virtual_monitors_add(jvmti, jni, thread, wait);
  (*jni)->DeleteLocalRef(jni, thread);
  return clock_ticks() < virtual_look.until;
}

static bool ask_for_latch(void *context, JNIEnv *jni, struct virtual_wait *wait)
{
  (void)context;
  jthread thread = thread_of(jni, wait);
  if (thread)
    joins_add(jni, thread);
  (*jni)->DeleteLocalRef(jni, thread);
  return clock_ticks() < virtual_look.until;
}

static bool follow_wait(void *jvmti, JNIEnv *jni, struct virtual_wait *wait)
{
  uint64_t now = clock_ticks();
  if (is_of_crowd(wait) != virtual_look.of_crowds || wait->reported || now < wait->due ||
      wait->looked_at != atomic_load(&wait->begin))
    return true;
  jthread thread = thread_of(jni, wait);
  if (!thread || follow_and_tell(jvmti, jni, thread)) {
    wait->due = now + wait->pause * 1000 * agent.ticks_per_us;
    wait->pause = wait->pause < UINT32_MAX / 2 ? wait->pause * 2 : wait->pause;
  }
  (*jni)->DeleteLocalRef(jni, thread);
  return now < virtual_look.until;
}

/* Looks first at objects with few waits, then at those with many. */
static void look_at_each(jvmtiEnv *jvmti, JNIEnv *jni, virtual_wait_look *look_at)
{
  virtual_look.until = clock_ticks() + LOOK_MOST * agent.ticks_per_us;
  for (unsigned i = 0; i < 2 && clock_ticks() < virtual_look.until; i++) {
    virtual_look.of_crowds = i == 1;
    virtual_waits_each(jni, STUCK_VIRTUAL_LASTS * 1000 * agent.ticks_per_us, look_at, jvmti);
  }
}

static void stuck_virtual_look(jvmtiEnv *jvmti, JNIEnv *jni)
{
  virtual_look.any = false;
  virtual_monitors_forget(jni);
  joins_forget(jni);
  virtual_waits_each(jni, STUCK_VIRTUAL_LASTS * 1000 * agent.ticks_per_us, stuck_virtual_count, NULL);
  if (!virtual_look.any)
    return;
  look_at_each(jvmti, jni, ask_for_holds);
  if (joins_are_wanted()) {
    virtual_look.until = clock_ticks() + LOOK_MOST * agent.ticks_per_us;
    virtual_waits_each(jni, STUCK_VIRTUAL_LASTS * 1000 * agent.ticks_per_us, ask_for_latch, NULL);
  }
  look_at_each(jvmti, jni, follow_wait);
  forget_answers(jni);
  memset(virtual_look.waits, 0, sizeof virtual_look.waits);
}

static void stuck_virtual_follow(jvmtiEnv *jvmti, JNIEnv *jni, const struct owned_wait *wait)
{
  if (!virtual_look.thread) /* no virtual thread waits for an owner */
    return;
  (void)follow_and_tell(jvmti, jni, wait->thread);
  forget_answers(jni);
}

#define ROWS 4096u /* threads whose waits are remembered, by id; others with the same row are forgotten */

/* What a thread waited for in the last look. */
struct stuck_row {
  uint64_t thread, object;
  uint32_t round;
  bool reported;
};

static struct {
  uint32_t round;
  bool opened;
  struct stuck_row rows[ROWS];
} watched;

/* True if a wait was found in the round before, and is not reported yet. *new: it was not found. */
static bool comes_again(const struct owned_wait *wait, bool *new)
{
  struct stuck_row *row = &watched.rows[wait->id % ROWS];
  bool again = row->thread == wait->id && row->object == wait->object && row->round + 1 == watched.round;
  bool reported = again && row->reported;
  *new = !again;
  *row = (struct stuck_row){.thread = wait->id, .object = wait->object, .round = watched.round, .reported = again};
  return again && !reported;
}

static void stuck_look_at(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  struct owned_wait wait;
  if (!owned_wait_of(jvmti, jni, thread, &wait))
    return;
  bool new;
  if (comes_again(&wait, &new)) {
    if (wait.what)
      stuck_virtual_find_owner(jvmti, jni, &wait);
    if (wait.owner || !wait.what)
      owned_wait_report(jvmti, jni, &wait);
    if (wait.owner)
      stuck_virtual_follow(jvmti, jni, &wait);
  } else if (new && agent.options.virtual_threads) {
    joins_may_be(&wait);
  }
  owned_wait_drop(jni, &wait);
}

static unsigned stuck_look(jvmtiEnv *jvmti, JNIEnv *jni)
{
  jint count;
  jthread *threads;
  if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
    return WATCH_MS;
  watched.round++;
  if (agent.options.virtual_threads)
    stuck_virtual_look(jvmti, jni);
  for (jint i = 0; i < count; i++) {
    stuck_look_at(jvmti, jni, threads[i]);
    (*jni)->DeleteLocalRef(jni, threads[i]);
  }
  (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
  return WATCH_MS;
}

void stuck_begin(jvmtiEnv *jvmti, JNIEnv *jni)
{
  if (!watched.opened && !owned_wait_open(jni))
    return;
  watched.opened = true;
  watched.round++; /* each recording reports anew */
  owned_wait_begin_recording();
  if (agent.options.virtual_threads)
    stuck_virtual_begin();
  watch_begin(jvmti, jni, stuck_look);
}
