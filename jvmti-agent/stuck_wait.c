#include "jvmti-agent/stuck_wait.h"

#include "common/process/session.h"
#include "common/process/text.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/owners.h"

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

bool stuck_wait_open(JNIEnv *jni)
{
  known.ownable = class_for_ever(jni, "java/util/concurrent/locks/AbstractOwnableSynchronizer");
  known.thread = class_for_ever(jni, "java/lang/Thread");
  known.owner =
      known.ownable ? (*jni)->GetFieldID(jni, known.ownable, "exclusiveOwnerThread", "Ljava/lang/Thread;") : NULL;
  (*jni)->ExceptionClear(jni);
  return known.thread && known.owner;
}

bool stuck_wait_is_owned(JNIEnv *jni, jobject object)
{
  return object && known.owner && (*jni)->IsInstanceOf(jni, object, known.ownable);
}

static enum raw_block stuck_wait_kind_of(jint state)
{
  return (state & JVMTI_THREAD_STATE_PARKED) != 0                     ? RAW_BLOCK_PARK
         : (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) != 0 ? RAW_BLOCK_ENTER
                                                                      : RAW_BLOCK_JOIN;
}

/* What a thread waits for, if it is something with an owner; else NULL. */
static jobject stuck_wait_awaited(jvmtiEnv *jvmti, JNIEnv *jni, const struct stuck_wait *wait)
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

bool stuck_wait_of(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, struct stuck_wait *wait)
{
  const jint waits =
      JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER | JVMTI_THREAD_STATE_IN_OBJECT_WAIT | JVMTI_THREAD_STATE_PARKED;
  jint state;
  if ((*jvmti)->GetThreadState(jvmti, thread, &state) != JVMTI_ERROR_NONE || (state & waits) == 0 ||
      (state & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT) != 0)
    return false;
  *wait = (struct stuck_wait){.thread = thread, .kind = stuck_wait_kind_of(state)};
  wait->what = stuck_wait_awaited(jvmti, jni, wait);
  if (!wait->what && wait->kind != RAW_BLOCK_JOIN) /* newer JVMs do not tell what is waited for */
    return false;
  wait->id = thread_id_of(jni, thread);
  wait->object = object_of(jvmti, jni, wait->what);
  return true;
}

void stuck_wait_find_owner(jvmtiEnv *jvmti, JNIEnv *jni, struct stuck_wait *wait)
{
  if (wait->what)
    wait->owner = wait->kind == RAW_BLOCK_PARK    ? (*jni)->GetObjectField(jni, wait->what, known.owner)
                  : wait->kind == RAW_BLOCK_ENTER ? owner_of_monitor(jvmti, jni, wait->what)
                                                  : (*jni)->NewLocalRef(jni, wait->what); /* the thread that it joins */
}

void stuck_wait_drop(JNIEnv *jni, const struct stuck_wait *wait)
{
  (*jni)->DeleteLocalRef(jni, wait->owner);
  (*jni)->DeleteLocalRef(jni, wait->what);
}

void stuck_wait_begin(void)
{
  known.lines = 0;
}

bool stuck_wait_tell(jvmtiEnv *jvmti, JNIEnv *jni, const struct stuck_wait *wait)
{
  char line[192];
  bool in_join;
  uint64_t place = place_of_thread(jvmti, jni, wait->thread, &in_join);
  if (!wait->owner && !in_join)
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
