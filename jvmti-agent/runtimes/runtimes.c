#include "jvmti-agent/runtimes/runtimes.h"

#include "common/process/diag.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/runtimes/task_budget.h"

#include <stdlib.h>

#define TARGETS_MAX 64

static bool runtimes_begins_with(const char *string, const char *begin)
{
  return strncmp(string, begin, strlen(begin)) == 0;
}

/* True if a class can have anything to hook. Cheap: every class that is loaded comes here. */
static bool concerns(const struct runtime *runtime, const char *name, jobject loader, const uint8_t *bytes, size_t size)
{
  if (!(runtime->of_jvm ? agent.options.jvm : agent.options.jomp))
    return false;
  if (runtime->package && runtimes_begins_with(name, runtime->package)) {
    for (size_t i = 0; i < runtime->count; i++)
      if (runtime->rows[i].target.where == WEAVE_METHOD && strcmp(name, runtime->rows[i].target.owner) == 0)
        return true;
    return false;
  }
  if (!(runtime->in_jdk && runtimes_begins_with(name, runtime->in_jdk)) && (!loader || place_is_in_jdk(name)))
    return false;
  for (const char *const *mark = runtime->marks; *mark; mark++)
    if (memmem(bytes, size, *mark, strlen(*mark)))
      return true;
  return false;
}

struct woven_class {
  struct weaving *class;
  bool inside; /* it is the runtime's own */
};

/* The weaver asks about each match. *context: struct woven_class. */
static int32_t make_site(void *context, const struct weave_target *target, const struct weave_match *match)
{
  const struct woven_class *of = context;
  int32_t number;
  bool is_new;
  const struct row *row = (const struct row *)((const char *)target - offsetof(struct row, target));
  if ((of->inside && target->where != WEAVE_METHOD) || (row->wanted && !row->wanted()))
    return -1;
  if (of->class->asks)
    return 0;
  struct site *site = sites_at(of->class, row, match, &number, &is_new);
  if (!site)
    return -1;
  if (is_new && row->prepare)
    row->prepare(site, match);
  return number;
}

struct buffer runtimes_weave(const struct runtime *runtime, struct weaving *class, const uint8_t *bytes, size_t size)
{
  if (!concerns(runtime, class->name, class->loader, bytes, size))
    return (struct buffer){0};
  struct woven_class of = {class, runtime->package && runtimes_begins_with(class->name, runtime->package)};
  unsigned unchanged;
  const struct weave_target *targets[TARGETS_MAX];
  size_t n = 0;
  for (; n < runtime->count && n < TARGETS_MAX; n++)
    targets[n] = &runtime->rows[n].target;
  struct weave_plan plan = {
      .targets = targets, .count = n, .site = make_site, .context = &of, .plain_tasks = !task_budget_omits()};
  struct buffer woven = weave(bytes, size, &plan, &unchanged);
  if (unchanged > 0 && !class->again)
    diag_say("some methods of ", class->name,
             " are too long for hooks, or their compiler is unknown: ", "their parallel constructs are not recorded",
             NULL);
  return woven;
}

/* The site of a hook that was called; NULL: nothing is recorded. */
static inline struct site *site_of(JNIEnv *jni, jint number)
{
  return thread_records(jni) ? sites_get(number) : NULL;
}

/* The natives of the hook class. The JVM finds them by their names. */
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_begin(JNIEnv *jni, jclass class, jint site);
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_end(JNIEnv *jni, jclass class, jint site);
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_number(JNIEnv *jni, jclass class, jlong number, jint site);
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_result(JNIEnv *jni, jclass class, jlong number, jint site);
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_enter(JNIEnv *jni, jclass class, jlong number, jobject first,
                                                       jobject second, jint site);
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_exit(JNIEnv *jni, jclass class, jlong number, jobject first,
                                                      jobject second, jint site);
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_fields(JNIEnv *jni, jclass class, jlong number, jlong a, jlong b,
                                                        jlong c, jlong d, jlong e, jlong f, jboolean g, jint site);
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_object(JNIEnv *jni, jclass class, jobject receiver, jint site);
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_thrown(JNIEnv *jni, jclass class, jint site);
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_locked(JNIEnv *jni, jclass class, jint site);
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_unlocked(JNIEnv *jni, jclass class, jint site);

static inline void report_enter(JNIEnv *jni, jlong number, jobject first, jobject second, jint number_of_site)
{
  struct site *site = site_of(jni, number_of_site);
  if (site && site->row->enter)
    site->row->enter(&(struct hook){.jni = jni, .site = site, .number = number, .first = first, .second = second});
}

static inline void report_exit(JNIEnv *jni, jlong number, jobject first, jobject second, jint number_of_site)
{
  struct site *site = site_of(jni, number_of_site);
  if (site && site->row->exit)
    site->row->exit(&(struct hook){.jni = jni, .site = site, .number = number, .first = first, .second = second});
}

void Java_java_lang_HeddleHook_begin(JNIEnv *jni, jclass class, jint site)
{
  (void)class;
  report_enter(jni, 0, NULL, NULL, site);
}

void Java_java_lang_HeddleHook_end(JNIEnv *jni, jclass class, jint site)
{
  (void)class;
  report_exit(jni, 0, NULL, NULL, site);
}

void Java_java_lang_HeddleHook_number(JNIEnv *jni, jclass class, jlong number, jint site)
{
  (void)class;
  report_enter(jni, number, NULL, NULL, site);
}

void Java_java_lang_HeddleHook_result(JNIEnv *jni, jclass class, jlong number, jint site)
{
  (void)class;
  report_exit(jni, number, NULL, NULL, site);
}

void Java_java_lang_HeddleHook_enter(JNIEnv *jni, jclass class, jlong number, jobject first, jobject second, jint site)
{
  (void)class;
  report_enter(jni, number, first, second, site);
}

void Java_java_lang_HeddleHook_exit(JNIEnv *jni, jclass class, jlong number, jobject first, jobject second, jint site)
{
  (void)class;
  report_exit(jni, number, first, second, site);
}

void Java_java_lang_HeddleHook_fields(JNIEnv *jni, jclass class, jlong number, jlong a, jlong b, jlong c, jlong d,
                                      jlong e, jlong f, jboolean g, jint number_of_site)
{
  (void)class;
  const int64_t fields[HOOK_FIELDS] = {a, b, c, d, e, f, g};
  struct site *site = site_of(jni, number_of_site);
  if (site && site->row->exit)
    site->row->exit(&(struct hook){.jni = jni, .site = site, .number = number, .fields = fields});
}

void Java_java_lang_HeddleHook_object(JNIEnv *jni, jclass class, jobject receiver, jint site)
{
  (void)class;
  report_enter(jni, 0, receiver, NULL, site);
}

void Java_java_lang_HeddleHook_thrown(JNIEnv *jni, jclass class, jint number_of_site)
{
  (void)class;
  struct site *site = site_of(jni, number_of_site);
  if (site && site->row->thrown)
    site->row->thrown(&(struct hook){.jni = jni, .site = site});
}

void Java_java_lang_HeddleHook_locked(JNIEnv *jni, jclass class, jint number_of_site)
{
  (void)class;
  struct site *site = site_of(jni, number_of_site);
  if (site && site->row->locked)
    site->row->locked(&(struct hook){.jni = jni, .site = site});
}

void Java_java_lang_HeddleHook_unlocked(JNIEnv *jni, jclass class, jint number_of_site)
{
  (void)class;
  struct site *site = site_of(jni, number_of_site);
  if (site && site->row->unlocked)
    site->row->unlocked(&(struct hook){.jni = jni, .site = site});
}
