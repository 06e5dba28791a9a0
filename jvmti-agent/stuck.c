#include "jvmti-agent/stuck.h"

#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/stuck_virtual.h"
#include "jvmti-agent/wait_owners.h"

#define ROWS 4096u /* threads whose waits are remembered, by id; others with the same row are forgotten */

/* What a thread waited for when it was met last. */
struct stuck_row {
  uint64_t thread, object;
  uint32_t round;
  bool told;
};

static struct {
  uint32_t round;
  bool opened;
  struct stuck_row rows[ROWS];
} watched;

/* Whether a wait was met in the round before, and is not told yet. *new: it was not met. */
static bool comes_again(const struct stuck_wait *wait, bool *new)
{
  struct stuck_row *row = &watched.rows[wait->id % ROWS];
  bool again = row->thread == wait->id && row->object == wait->object && row->round + 1 == watched.round;
  bool told = again && row->told;
  *new = !again;
  *row = (struct stuck_row){.thread = wait->id, .object = wait->object, .round = watched.round, .told = again};
  return again && !told;
}

static void stuck_look_at(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  struct stuck_wait wait;
  if (!stuck_wait_of(jvmti, jni, thread, &wait))
    return;
  bool new;
  if (comes_again(&wait, &new)) {
    if (wait.what)
      stuck_virtual_find_owner(jvmti, jni, &wait);
    if (wait.owner || !wait.what)
      stuck_wait_tell(jvmti, jni, &wait);
    if (wait.owner)
      stuck_virtual_follow(jvmti, jni, &wait);
  } else if (new && agent.options.virtual_threads) {
    stuck_joins_meet(&wait);
  }
  stuck_wait_drop(jni, &wait);
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
  if (!watched.opened && !stuck_wait_open(jni))
    return;
  watched.opened = true;
  watched.round++; /* what a recording before has is told again */
  stuck_wait_begin();
  if (agent.options.virtual_threads)
    stuck_virtual_begin();
  watch_begin(jvmti, jni, stuck_look);
}
