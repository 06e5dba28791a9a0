#include "jvmti-agent/stuck_joins.h"

#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"

#define LATCHES 1024u /* of threads that wait; more are unknown */

static struct {
  bool tried, known; /* the JDK's classes are as below */
  jclass sync;       /* java.util.concurrent.CountDownLatch$Sync */
  jfieldID latch;    /* of a virtual thread: VirtualThread.termination */
  jfieldID of_latch; /* CountDownLatch.sync */
  bool met, wanted;
  unsigned count;
  struct {
    jobject sync, thread; /* global references */
  } latches[LATCHES];
} joins;

static void find_classes(JNIEnv *jni, jthread thread)
{
  joins.tried = true;
  jclass of_thread = (*jni)->GetObjectClass(jni, thread),
         latch = (*jni)->FindClass(jni, "java/util/concurrent/CountDownLatch"),
         sync = latch ? (*jni)->FindClass(jni, "java/util/concurrent/CountDownLatch$Sync") : NULL;
  if (sync) {
    joins.latch = (*jni)->GetFieldID(jni, of_thread, "termination", "Ljava/util/concurrent/CountDownLatch;");
    joins.of_latch =
        joins.latch ? (*jni)->GetFieldID(jni, latch, "sync", "Ljava/util/concurrent/CountDownLatch$Sync;") : NULL;
    joins.sync = joins.of_latch ? (*jni)->NewGlobalRef(jni, sync) : NULL;
  }
  joins.known = joins.sync != NULL;
  (*jni)->ExceptionClear(jni);
  (*jni)->DeleteLocalRef(jni, of_thread);
  (*jni)->DeleteLocalRef(jni, latch);
  (*jni)->DeleteLocalRef(jni, sync);
}

void stuck_joins_clean(JNIEnv *jni)
{
  for (; joins.count > 0; joins.count--) {
    (*jni)->DeleteGlobalRef(jni, joins.latches[joins.count - 1].sync);
    (*jni)->DeleteGlobalRef(jni, joins.latches[joins.count - 1].thread);
  }
  joins.wanted = joins.met;
  joins.met = false;
}

bool stuck_joins_are_wanted(void)
{
  return joins.wanted;
}

void stuck_joins_add(JNIEnv *jni, jthread thread)
{
  if (!joins.tried)
    find_classes(jni, thread);
  if (!joins.known || joins.count == LATCHES)
    return;
  jobject latch = (*jni)->GetObjectField(jni, thread, joins.latch),
          sync = latch ? (*jni)->GetObjectField(jni, latch, joins.of_latch) : NULL;
  if (sync) {
    joins.latches[joins.count].sync = (*jni)->NewGlobalRef(jni, sync);
    joins.latches[joins.count++].thread = (*jni)->NewGlobalRef(jni, thread);
  }
  (*jni)->DeleteLocalRef(jni, sync);
  (*jni)->DeleteLocalRef(jni, latch);
}

bool stuck_joins_meet(JNIEnv *jni, const struct stuck_wait *wait)
{
  if (wait->kind != RAW_BLOCK_PARK || !wait->what || (joins.tried && !joins.known) ||
      (joins.known && !(*jni)->IsInstanceOf(jni, wait->what, joins.sync)))
    return false;
  return joins.met = true;
}

bool stuck_joins_find(jvmtiEnv *jvmti, JNIEnv *jni, struct stuck_wait *wait)
{
  unsigned at = stuck_joins_meet(jni, wait) ? joins.count : 0;
  while (at > 0 && !(*jni)->IsSameObject(jni, joins.latches[at - 1].sync, wait->what))
    at--;
  if (at == 0)
    return false;
  (*jni)->DeleteLocalRef(jni, wait->what);
  wait->kind = RAW_BLOCK_JOIN;
  wait->what = (*jni)->NewLocalRef(jni, joins.latches[at - 1].thread);
  wait->owner = (*jni)->NewLocalRef(jni, joins.latches[at - 1].thread);
  wait->object = object_of(jvmti, jni, wait->what);
  return true;
}
