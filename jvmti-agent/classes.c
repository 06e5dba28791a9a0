#include "jvmti-agent/classes.h"

#include "common/process/diag.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/recording.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/parts.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/runtimes/thinning.h"
#include "jvmti-agent/weaver/hook_class.h"
#include "jvmti-agent/weaver/rewrite.h"
#include "jvmti-agent/woven.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_OF_VIRTUAL_THREADS "java/lang/VirtualThread$VThreadContinuation$1"

/* Where Thread.tid is in its object; 0: unknown. */
static int64_t offset_of_tid(JNIEnv *jni)
{
  jlong offset = 0;
  jclass class = (*jni)->FindClass(jni, "jdk/internal/misc/Unsafe"),
         thread = (*jni)->FindClass(jni, "java/lang/Thread");
  jmethodID get = class ? (*jni)->GetStaticMethodID(jni, class, "getUnsafe", "()Ljdk/internal/misc/Unsafe;") : NULL;
  jmethodID ask =
      get ? (*jni)->GetMethodID(jni, class, "objectFieldOffset", "(Ljava/lang/Class;Ljava/lang/String;)J") : NULL;
  jobject unsafe = ask ? (*jni)->CallStaticObjectMethod(jni, class, get) : NULL;
  jstring name = !(*jni)->ExceptionCheck(jni) && unsafe ? (*jni)->NewStringUTF(jni, "tid") : NULL;
  if (name && thread)
    offset = (*jni)->CallLongMethod(jni, unsafe, ask, thread, name);
  if ((*jni)->ExceptionCheck(jni)) {
    (*jni)->ExceptionClear(jni);
    offset = 0;
  }
  (*jni)->DeleteLocalRef(jni, name);
  (*jni)->DeleteLocalRef(jni, unsafe);
  (*jni)->DeleteLocalRef(jni, thread);
  (*jni)->DeleteLocalRef(jni, class);
  return offset;
}

void classes_start(jvmtiEnv *jvmti, JNIEnv *jni)
{
  if (!options_want_classes(&agent.options))
    return;
  struct hook_memory memory = {.switches = sites_switches(), .tid_offset = offset_of_tid(jni)};
  memory.thins = thinning_begin();
  memory.slots = memory.tid_offset > 0 ? thinning_slots() : NULL;
  struct buffer file = hook_class(&memory);
  jclass defined = NULL;
  if (!file.failed)
    defined = (*jni)->DefineClass(jni, HOOK_CLASS, NULL, (const jbyte *)file.bytes, (jsize)file.size);
  free(file.bytes);
  if (!defined) {
    (*jni)->ExceptionClear(jni);
    diag_say(
        "this JVM rejects the class for hooks; constructs of JOMP, hold= and exact calls are not recorded, places of ",
        "notify neither", NULL);
    return;
  }
  (*jni)->DeleteLocalRef(jni, defined);
  if (!woven_begin(recording_config()->skip ? parts_of_use(needs_mask(needs_now())) : PARTS_ALL)) {
    diag_say("not enough memory for the list of classes with hooks; constructs of JOMP, hold= and exact calls are not "
             "recorded, places of notify neither",
             NULL);
    return;
  }
  recording_watch_pauses(sites_follow_pauses);
  (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}

/* Goes on with what was made of a class, if anything was. */
static bool classes_take(struct buffer *now, struct buffer made)
{
  if (!made.bytes)
    return false;
  free(now->bytes);
  *now = made;
  return true;
}

/*
 * The class with the hooks of these parts; bytes NULL: it stays as it is. *could: the parts that it could have hooks
 * of. Another agent may give the JVM a class that it got from us before: that is taken back first. If it was changed
 * since, it has the hooks that it needs.
 */
static struct buffer weave_all(struct weaving *class, const uint8_t *bytes, size_t size, uint32_t parts,
                               uint32_t *could)
{
  struct buffer now = {0};
  buffer_add(&now, bytes, size);
  bool changed = rewrite_is_done(bytes, size);
  if (changed && !classes_take(&now, rewrite_undo(bytes, size)))
    now.failed = true;
  for (class->part = 0; class->part < PARTS && !now.failed; class->part++) {
    class->asks = !(parts >> class->part & 1);
    struct buffer made = parts_weave(class, now.bytes, now.size);
    *could |= (uint32_t)(made.bytes != NULL) << class->part;
    if (class->asks)
      free(made.bytes);
    else
      changed |= classes_take(&now, made);
  }
  if (changed && !now.failed)
    return now;
  free(now.bytes);
  return (struct buffer){0};
}

/* The same for the parts that are on; it is noted what there is to weave. */
static struct buffer weave_now(struct weaving *class, const uint8_t *bytes, size_t size)
{
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&one_at_a_time);
  uint32_t parts = woven_parts(), could = 0;
  struct buffer made = weave_all(class, bytes, size, parts, &could);
  woven_note(class->name, could, parts & could, class->again);
  pthread_mutex_unlock(&one_at_a_time);
  return made;
}

void classes_stop(jvmtiEnv *jvmti, JNIEnv *jni)
{
  (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
  woven_end(jvmti, jni);
}

/*
 * The JVM loads java.lang.VirtualThread before the agent is ready. It gets its hooks as the first virtual thread is
 * made, when a class is loaded that its constructor needs. Programs without virtual threads do not pay for it; and a
 * look-up any earlier would initialize the class, and load the pools before they are woven.
 */
static void weave_virtual_threads(jvmtiEnv *jvmti, JNIEnv *jni)
{
  jclass class = (*jni)->FindClass(jni, "java/lang/VirtualThread");
  if (class)
    (*jvmti)->RetransformClasses(jvmti, 1, &class);
  else
    (*jni)->ExceptionClear(jni);
  (*jni)->DeleteLocalRef(jni, class);
}

void JNICALL classes_on_load(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader, const char *name,
                             jobject domain, jint size, const unsigned char *bytes, jint *new_size,
                             unsigned char **new_bytes)
{
  (void)domain;
  if (!name || size <= 0 || !atomic_load(&agent.live))
    return;
  if (!redefined && agent.options.virtual_threads && strcmp(name, FIRST_OF_VIRTUAL_THREADS) == 0)
    weave_virtual_threads(jvmti, jni);
  struct weaving class = {.name = name, .jni = jni, .loader = loader, .again = redefined != NULL};
  struct buffer woven = weave_now(&class, bytes, (size_t)size);
  unsigned char *given;
  if (woven.bytes && woven.size <= INT32_MAX &&
      (*jvmti)->Allocate(jvmti, (jlong)woven.size, &given) == JVMTI_ERROR_NONE) {
    memcpy(given, woven.bytes, woven.size);
    *new_bytes = given;
    *new_size = (jint)woven.size;
  }
  free(woven.bytes);
}
