#include "jvmti-agent/stuck_holds.h"

#include "common/budget/mix.h"
#include "jvmti-agent/core/objects.h"

#include <string.h>

#define LISTS HOLDS_MOST

static struct {
  struct hold {
    jweak monitor, thread;
    uint64_t number;
    const struct virtual_wait *wait;
    uint64_t begin; /* the wait's */
    uint32_t next;  /* in its list: index + 1; 0: none */
  } list[HOLDS_MOST];
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

void stuck_holds_add(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, const struct virtual_wait *wait)
{
  jint count = 0;
  jobject *monitors = NULL;
  if ((*jvmti)->GetOwnedMonitorInfo(jvmti, thread, &count, &monitors) != JVMTI_ERROR_NONE)
    return;
  for (jint i = 0; i < count; i++) {
    if (holds.count < HOLDS_MOST)
      add_hold(jvmti, jni, thread, monitors[i], wait);
    (*jni)->DeleteLocalRef(jni, monitors[i]);
  }
  (*jvmti)->Deallocate(jvmti, (unsigned char *)monitors);
}

void stuck_holds_clean(JNIEnv *jni)
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

jthread stuck_holds_find(JNIEnv *jni, jobject monitor, uint64_t number)
{
  for (uint32_t i = *list_of(number); i != 0; i = holds.list[i - 1].next) {
    const struct hold *hold = &holds.list[i - 1];
    if (hold->number == number && virtual_wait_goes_on(hold->wait, hold->begin) &&
        (*jni)->IsSameObject(jni, hold->monitor, monitor))
      return (*jni)->NewLocalRef(jni, hold->thread);
  }
  return NULL;
}
