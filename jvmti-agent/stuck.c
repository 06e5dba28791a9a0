#include "jvmti-agent/stuck.h"

#include "common/session.h"
#include "common/text.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/core/watch.h"
#include "jvmti-agent/owners.h"

#define ROWS       4096u  /* threads whose waits are remembered, by id; others with the same row are forgotten */
#define LINES_MOST 10000u /* in the process file */

/* What a thread waited for when it was met last. */
struct row {
  uint64_t thread, object;
  uint32_t round;
  bool told;
};

/* A thread of the JVM's that waits, and what for. */
struct wait {
  jthread thread;
  uint64_t id, object;
  enum raw_block kind;
  jobject what;
  jthread owner; /* NULL: unknown */
};

static struct {
  uint32_t round, lines;
  jclass ownable, thread; /* java.util.concurrent.locks.AbstractOwnableSynchronizer and java.lang.Thread */
  jfieldID owner;
  struct row rows[ROWS];
} watched;

static void tell(jvmtiEnv *jvmti, JNIEnv *jni, const struct wait *wait)
{
  char line[192];
  bool in_join;
  uint64_t place = place_of_thread(jvmti, jni, wait->thread, &in_join);
  if (!wait->owner && !in_join)
    return;
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
  if (!text.cut && watched.lines++ < LINES_MOST)
    session_describe(line, text.used);
}

/* Whether a wait was met in the round before, and is not told yet. */
static bool comes_again(const struct wait *wait)
{
  struct row *row = &watched.rows[wait->id % ROWS];
  bool again = row->thread == wait->id && row->object == wait->object && row->round + 1 == watched.round;
  bool told = again && row->told;
  *row = (struct row){.thread = wait->id, .object = wait->object, .round = watched.round, .told = again};
  return again && !told;
}

static enum raw_block kind_of(jint state)
{
  return (state & JVMTI_THREAD_STATE_PARKED) != 0                     ? RAW_BLOCK_PARK
         : (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) != 0 ? RAW_BLOCK_ENTER
                                                                      : RAW_BLOCK_JOIN;
}

/* What a thread waits for, if it is something with an owner; else NULL. */
static jobject awaited(jvmtiEnv *jvmti, JNIEnv *jni, const struct wait *wait)
{
  jobject object = NULL;
  if (wait->kind == RAW_BLOCK_PARK)
    object = thread_park_blocker_of(jni, wait->thread);
  else if ((*jvmti)->GetCurrentContendedMonitor(jvmti, wait->thread, &object) != JVMTI_ERROR_NONE)
    return NULL;
  if (object && (wait->kind == RAW_BLOCK_ENTER ||
                 (*jni)->IsInstanceOf(jni, object, wait->kind == RAW_BLOCK_PARK ? watched.ownable : watched.thread)))
    return object;
  (*jni)->DeleteLocalRef(jni, object);
  return NULL;
}

static jthread owner_of(jvmtiEnv *jvmti, JNIEnv *jni, const struct wait *wait)
{
  return wait->kind == RAW_BLOCK_PARK    ? (*jni)->GetObjectField(jni, wait->what, watched.owner)
         : wait->kind == RAW_BLOCK_ENTER ? owner_of_monitor(jvmti, jni, wait->what)
                                         : (*jni)->NewLocalRef(jni, wait->what); /* the thread that it joins */
}

static void look_at(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  const jint waits =
      JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER | JVMTI_THREAD_STATE_IN_OBJECT_WAIT | JVMTI_THREAD_STATE_PARKED;
  jint state;
  if ((*jvmti)->GetThreadState(jvmti, thread, &state) != JVMTI_ERROR_NONE || (state & waits) == 0 ||
      (state & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT) != 0)
    return;
  struct wait wait = {.thread = thread, .kind = kind_of(state)};
  wait.what = awaited(jvmti, jni, &wait);
  if (!wait.what && wait.kind != RAW_BLOCK_JOIN) /* newer JVMs do not tell what is waited for */
    return;
  wait.id = thread_id_of(jni, thread);
  wait.object = object_of(jvmti, jni, wait.what);
  if (comes_again(&wait)) {
    wait.owner = wait.what ? owner_of(jvmti, jni, &wait) : NULL;
    if (wait.owner || !wait.what)
      tell(jvmti, jni, &wait);
  }
  (*jni)->DeleteLocalRef(jni, wait.owner);
  (*jni)->DeleteLocalRef(jni, wait.what);
}

static unsigned look(jvmtiEnv *jvmti, JNIEnv *jni)
{
  jint count;
  jthread *threads;
  if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
    return WATCH_MS;
  watched.round++;
  for (jint i = 0; i < count; i++) {
    look_at(jvmti, jni, threads[i]);
    (*jni)->DeleteLocalRef(jni, threads[i]);
  }
  (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
  return WATCH_MS;
}

static jclass class_for_ever(JNIEnv *jni, const char *name)
{
  jclass class = (*jni)->FindClass(jni, name);
  return class ? (*jni)->NewGlobalRef(jni, class) : NULL;
}

void stuck_begin(jvmtiEnv *jvmti, JNIEnv *jni)
{
  if (watched.owner) { /* in a recording before: what that one has is told again */
    watched.round++;
    watched.lines = 0;
    watch_begin(jvmti, jni, look);
    return;
  }
  watched.ownable = class_for_ever(jni, "java/util/concurrent/locks/AbstractOwnableSynchronizer");
  watched.thread = class_for_ever(jni, "java/lang/Thread");
  watched.owner =
      watched.ownable ? (*jni)->GetFieldID(jni, watched.ownable, "exclusiveOwnerThread", "Ljava/lang/Thread;") : NULL;
  (*jni)->ExceptionClear(jni);
  if (watched.thread && watched.owner)
    watch_begin(jvmti, jni, look);
}
