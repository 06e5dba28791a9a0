#include "jvmti-agent/holds.h"

#include "common/process/diag.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/weaver/monitors.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define HOLDS_NAME_MAX_BYTES 1024

/* A monitor as a wait id: class and identity hash in 47 bits, beside those of OpenMP, which are addresses. */
#define MONITOR_ID   (1ull << 47)
#define CLASSES_MOST (1u << 15)

/* Whether one of the patterns, separated by ':', matches a class' name. */
static bool holds_is_wanted(const char *name)
{
  char copy[HOLDS_NAME_MAX_BYTES], patterns[sizeof agent.options.hold], *rest = patterns;
  if (strlen(name) >= sizeof copy)
    return false;
  strcpy(copy, name);
  for (char *c = copy; *c; c++)
    if (*c == '/')
      *c = '.';
  strcpy(patterns, agent.options.hold);
  for (char *pattern; (pattern = strsep(&rest, ":"));)
    if (*pattern && fnmatch(pattern, copy, 0) == 0)
      return true;
  return false;
}

static int32_t make_site(void *context, const struct weave_match *match)
{
  static const struct row no_row;
  struct weaving *class = context;
  int32_t number;
  bool is_new;
  if (class->asks)
    return 0;
  struct site *site = sites_at(class, &no_row, match, &number, &is_new);
  if (!site)
    return -1;
  if (is_new)
    site->code = site_code_at(match, match->pc);
  return number;
}

struct buffer holds_weave(struct weaving *class, const uint8_t *bytes, size_t size)
{
  if (!*agent.options.hold || !holds_is_wanted(class->name))
    return (struct buffer){0};
  unsigned left_out;
  struct buffer woven = monitors_weave(bytes, size, make_site, class, &left_out);
  if (left_out > 0 && !class->again)
    diag_say("hold=: some methods of ", class->name, " use monitors in a way that no known compiler generates; ",
             "the time for which they hold monitors is not recorded", NULL);
  return woven;
}

/* 0: it is not recorded. */
static uint64_t monitor_id(JNIEnv *jni, jobject monitor)
{
  uint64_t object = object_of(agent.jvmti, jni, monitor);
  return object && object >> 32 < CLASSES_MOST ? MONITOR_ID | object : 0;
}

/* The natives of the hook class. The JVM finds them by their names. */
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_acquired(JNIEnv *jni, jclass class, jobject monitor, jint site);
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_released(JNIEnv *jni, jclass class, jobject monitor);

/* Monitors of virtual threads are left out: they may be released on another carrier. */
void Java_java_lang_HeddleHook_acquired(JNIEnv *jni, jclass class, jobject monitor, jint number)
{
  (void)class;
  if (thread_self.mounted || !thread_records(jni))
    return;
  enum stack_end_report word = stack_end_acquired(&thread_self.stack_end, (uintptr_t)__builtin_frame_address(0));
  if (word == STACK_END_RELEASE_ALL)
    recorder_emit(RAW_MUTEX_RELEASED, RAW_MUTEX_MONITOR, RAW_MONITOR_ALL);
  const struct site *site = word == STACK_END_REPORT ? sites_get(number) : NULL;
  uint64_t id = site ? monitor_id(jni, monitor) : 0;
  if (id)
    recorder_emit3(RAW_MUTEX_ACQUIRE, RAW_MUTEX_MONITOR, id, site->code);
}

void Java_java_lang_HeddleHook_released(JNIEnv *jni, jclass class, jobject monitor)
{
  (void)class;
  if (thread_self.mounted || !thread_records(jni) ||
      !stack_end_released(&thread_self.stack_end, (uintptr_t)__builtin_frame_address(0)))
    return;
  uint64_t id = monitor_id(jni, monitor);
  if (id)
    recorder_emit(RAW_MUTEX_RELEASED, RAW_MUTEX_MONITOR, id);
}
