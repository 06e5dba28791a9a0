#include "jvmti-agent/stuck_joins.h"

#include "jvmti-agent/core/objects.h"

#include <string.h>

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

bool stuck_joins_meet(const struct stuck_wait *wait)
{
  const char *class = wait->kind == RAW_BLOCK_PARK ? object_class(wait->object) : NULL;
  bool may_be = class && strcmp(class, SYNC) == 0;
  joins.met |= may_be;
  return may_be;
}

void stuck_joins_find(jvmtiEnv *jvmti, JNIEnv *jni, struct stuck_wait *wait)
{
  unsigned at = stuck_joins_meet(wait) ? joins.count : 0;
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
