#include "jvmti-agent/stuck_virtual.h"

#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/stuck_holds.h"
#include "jvmti-agent/virtual_waits.h"

#define LASTS      500u   /* ms: a wait of less is not looked at */
#define LOOK_AGAIN 500u   /* ms */
#define LOOK_MOST  10000u /* us that each half of a look takes; what is left is done in the next ones */
#define STEPS_MOST 256u   /* threads in turn */
#define TOLD_MOST  1000u  /* virtual threads in a recording; each is a location */
#define ASKED_MOST 4u     /* owners of monitors in a look: to ask stops the JVM */
#define LOCAL_ROOM (3 * (jint)STEPS_MOST)

static struct {
  uint32_t round; /* of recordings: what was told in one before is told again */
  unsigned told;  /* virtual threads */
  unsigned asked; /* owners in this look */
  uint64_t asked_in_vain[ASKED_MOST];
  uint64_t until; /* ticks: the look ends */
  jclass thread;  /* of virtual threads; NULL: none has waited yet */
} look;

/* A thread's wait, and that of its owner, and so on. */
struct way {
  struct stuck_wait steps[STEPS_MOST];
  unsigned count;
  bool closed; /* the last one's owner is one of them */
  bool cut;    /* there was no time to find out more */
};

void stuck_virtual_begin(void)
{
  look.round++;
  look.told = 0;
  virtual_waits_open();
}

void stuck_virtual_find_owner(jvmtiEnv *jvmti, JNIEnv *jni, struct stuck_wait *wait)
{
  if (wait->kind == RAW_BLOCK_ENTER)
    wait->owner = stuck_holds_find(jni, wait->what, wait->object);
  if (!wait->owner)
    stuck_wait_find_owner(jvmti, jni, wait);
}

/* The same, but the JVM is asked so often in a look, and once about an object that nobody is known to have. False: not
 * now. */
static bool find_owner(jvmtiEnv *jvmti, JNIEnv *jni, struct stuck_wait *wait)
{
  if (wait->kind != RAW_BLOCK_ENTER) {
    stuck_wait_find_owner(jvmti, jni, wait);
    return true;
  }
  wait->owner = stuck_holds_find(jni, wait->what, wait->object);
  for (unsigned i = 0; !wait->owner && i < look.asked; i++)
    if (look.asked_in_vain[i] == wait->object)
      return true;
  if (wait->owner)
    return true;
  if (look.asked == ASKED_MOST)
    return false;
  stuck_wait_find_owner(jvmti, jni, wait);
  look.asked_in_vain[look.asked++] = wait->owner ? 0 : wait->object;
  return true;
}

static bool is_on(JNIEnv *jni, const struct way *way, jthread thread)
{
  for (unsigned i = 0; i < way->count; i++)
    if ((*jni)->IsSameObject(jni, way->steps[i].thread, thread))
      return true;
  return false;
}

/* All references are local ones of the caller's frame. */
static void follow(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, struct way *way)
{
  way->count = 0;
  way->closed = way->cut = false;
  while (thread && way->count < STEPS_MOST) {
    struct stuck_wait *wait = &way->steps[way->count];
    if (!stuck_wait_of(jvmti, jni, thread, wait) || !wait->what)
      return;
    way->cut = !find_owner(jvmti, jni, wait);
    way->count++;
    thread = wait->owner;
    way->closed = thread && is_on(jni, way, thread);
    if (way->closed)
      return;
  }
}

/* Who reads its line finds its location. */
static void tell_virtual(jvmtiEnv *jvmti, JNIEnv *jni, const struct stuck_wait *step, struct virtual_wait *wait)
{
  uint64_t begin = atomic_load(&wait->begin);
  wait->told = true;
  if (look.told++ < TOLD_MOST) {
    threads_record_virtual(jni, step->thread, begin);
    stuck_wait_tell(jvmti, jni, step);
  }
}

/* The wait's own memory is of a wait before, or of a recording before. */
static void renew(struct virtual_wait *wait)
{
  uint64_t begin = atomic_load(&wait->begin);
  if (wait->looked_at == begin && wait->round == look.round)
    return;
  wait->looked_at = begin;
  wait->round = look.round;
  wait->due = 0;
  wait->pause = LOOK_AGAIN;
  wait->told = false;
}

static bool is_virtual(JNIEnv *jni, jthread thread)
{
  return look.thread && (*jni)->IsInstanceOf(jni, thread, look.thread);
}

/* Those that are not told yet; platform threads again where one of them is new, as its wait may be told without owner.
 */
static void tell_all(jvmtiEnv *jvmti, JNIEnv *jni, const struct way *way)
{
  bool new = false;
  for (unsigned i = 0; i < way->count; i++) {
    struct virtual_wait *wait = is_virtual(jni, way->steps[i].thread) ? virtual_wait_of(way->steps[i].id) : NULL;
    if (!wait)
      continue;
    renew(wait);
    new |= !wait->told;
    if (!wait->told)
      tell_virtual(jvmti, jni, &way->steps[i], wait);
  }
  for (unsigned i = 0; new && i < way->count; i++)
    if (!is_virtual(jni, way->steps[i].thread))
      stuck_wait_tell(jvmti, jni, &way->steps[i]);
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
    tell_all(jvmti, jni, &way);
  (*jni)->PopLocalFrame(jni, NULL);
  return way.closed || !way.cut;
}

static jthread thread_of(JNIEnv *jni, struct virtual_wait *wait)
{
  jthread thread = (*jni)->NewLocalRef(jni, wait->thread);
  if (thread && !look.thread) {
    jclass class = (*jni)->GetObjectClass(jni, thread);
    look.thread = (*jni)->NewGlobalRef(jni, class);
    (*jni)->DeleteLocalRef(jni, class);
  }
  return thread;
}

/* First all that have monitors are known, then waits are followed. */
static bool ask_for_holds(void *jvmti, JNIEnv *jni, struct virtual_wait *wait)
{
  if (wait->looked_at == atomic_load(&wait->begin) && wait->round == look.round)
    return true;
  renew(wait);
  jthread thread = thread_of(jni, wait);
  if (thread)
    stuck_holds_add(jvmti, jni, thread, wait);
  (*jni)->DeleteLocalRef(jni, thread);
  return clock_ticks() < look.until;
}

static bool follow_wait(void *jvmti, JNIEnv *jni, struct virtual_wait *wait)
{
  uint64_t now = clock_ticks();
  if (wait->told || now < wait->due || wait->looked_at != atomic_load(&wait->begin))
    return true;
  jthread thread = thread_of(jni, wait);
  if (!thread || follow_and_tell(jvmti, jni, thread)) {
    wait->due = now + wait->pause * 1000 * agent.ticks_per_us;
    wait->pause = wait->pause < UINT32_MAX / 2 ? wait->pause * 2 : wait->pause;
  }
  (*jni)->DeleteLocalRef(jni, thread);
  return now < look.until;
}

void stuck_virtual_look(jvmtiEnv *jvmti, JNIEnv *jni)
{
  uint64_t lasts = LASTS * 1000 * agent.ticks_per_us;
  look.asked = 0;
  look.until = clock_ticks() + LOOK_MOST * agent.ticks_per_us;
  stuck_holds_clean(jni);
  virtual_waits_each(jni, lasts, ask_for_holds, jvmti);
  look.until = clock_ticks() + LOOK_MOST * agent.ticks_per_us;
  virtual_waits_each(jni, lasts, follow_wait, jvmti);
}

void stuck_virtual_follow(jvmtiEnv *jvmti, JNIEnv *jni, const struct stuck_wait *wait)
{
  if (!look.thread) /* no virtual thread waits for an owner */
    return;
  look.asked = 0;
  (void)follow_and_tell(jvmti, jni, wait->thread);
}
