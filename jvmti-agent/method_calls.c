#include "jvmti-agent/method_calls.h"

#include "common/budget/mix.h"
#include "common/java/java_calls.h"
#include "common/java/keep_java.h"
#include "common/process/diag.h"
#include "common/process/text.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/pair_table.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/weaver/call_hooks.h"

#include <fnmatch.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_NAME_MAX_BYTES 1024       /* name of a class, method or file; longer ones are cut */
#define CALLS_TABLE_SIZE     (1u << 20) /* of known methods; memory appears as it is used */

static struct {
  struct pair_table known; /* by two checksums of class, method and descriptor: the place */
  bool open;
  atomic_uint methods; /* that were given a place */
} calls_state;

const char *method_calls_wanted(void)
{
  const char *list = java_calls_wanted() ? getenv("HEDDLE_CALLS_JAVA") : NULL;
  return list && *list ? strdup(list) : NULL; /* the program may change its environment */
}

/* The names of a method, as the user writes them. */
struct names {
  char class_name[CALLS_NAME_MAX_BYTES], method[CALLS_NAME_MAX_BYTES], file[CALLS_NAME_MAX_BYTES];
  char whole[2 * CALLS_NAME_MAX_BYTES]; /* class and method; for a lambda, the method that it is in */
};

/* lambda$step$0 is a part of step. */
static void add_method_name(struct text *text, const char *method)
{
  static const char lambda[] = "lambda$";
  const char *name = method, *end = NULL;
  if (strncmp(method, lambda, sizeof lambda - 1) == 0) {
    name = method + sizeof lambda - 1;
    end = strrchr(name, '$');
  }
  if (end && end > name)
    text_add_bytes(text, name, (size_t)(end - name));
  else
    text_add(text, method);
}

static void find_names(const struct weave_match *match, struct names *names)
{
  struct span source = class_utf8(match->file, match->file->source_file);
  struct text whole = TEXT_OVER(names->whole);
  span_string(class_name(match->file, match->file->this_class), names->class_name, sizeof names->class_name);
  span_string(class_utf8(match->file, match->method->name), names->method, sizeof names->method);
  names->file[0] = '\0';
  if (source.bytes)
    span_string(source, names->file, sizeof names->file);
  text_add(&whole, names->class_name);
  text_add(&whole, ".");
  add_method_name(&whole, names->method);
}

/* Behind the last of some characters that is in front of a place. */
static const char *behind_last(const char *text, const char *place, const char *characters)
{
  while (place > text && !strchr(characters, place[-1]))
    place--;
  return place;
}

/* com.acme.Solver$Grid.step is also meant by Solver$Grid.step, Grid.step and step. */
static bool is_named(const struct names *names, const char *pattern)
{
  const char *whole = names->whole, *dot = whole + strlen(names->class_name);
  return fnmatch(pattern, whole, 0) == 0 || fnmatch(pattern, behind_last(whole, dot, "."), 0) == 0 ||
         fnmatch(pattern, behind_last(whole, dot, ".$"), 0) == 0 || fnmatch(pattern, dot + 1, 0) == 0;
}

static bool calls_is_meant(const struct names *names, const char *entry)
{
  struct keep_java place = {names->class_name, names->method, names->file, 0};
  return *entry == '@' ? keep_java_is(&place, entry + 1) : is_named(names, entry);
}

/* True if an entry of the list means the method. */
static bool calls_is_wanted(const struct names *names)
{
  char entry[CALLS_NAME_MAX_BYTES];
  bool of_jdk = place_is_in_jdk(names->class_name);
  for (const char *at = agent.options.calls, *end; *at; at = *end ? end + 1 : end) {
    end = strchrnul(at, ',');
    size_t size = (size_t)(end - at);
    if (size == 0 || size >= sizeof entry)
      continue;
    memcpy(entry, at, size);
    entry[size] = '\0';
    if ((!of_jdk || place_is_in_jdk(entry)) && calls_is_meant(names, entry))
      return true;
  }
  return false;
}

/* FNV-1a. */
static uint64_t checksum(uint64_t sum, const char *text, size_t size)
{
  for (size_t i = 0; i < size; i++)
    sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3u;
  return (sum ^ 0xff) * 0x100000001b3u; /* where it ends */
}

static uint64_t checksum_of(uint64_t sum, const struct weave_match *match)
{
  struct span class = class_name(match->file, match->file->this_class);
  struct span name = class_utf8(match->file, match->method->name);
  struct span descriptor = class_utf8(match->file, match->method->descriptor);
  sum = checksum(sum, class.bytes, class.size);
  sum = checksum(sum, name.bytes, name.size);
  return checksum(sum, descriptor.bytes, descriptor.size);
}

/* Its place; if the class is redefined, the former place of the same method. 0: it could not be described. */
static uint32_t calls_place_of(const struct weave_match *match, const struct names *names)
{
  uint64_t first = checksum_of(0xcbf29ce484222325u, match), second = checksum_of(mix(1), match);
  if (!calls_state.open)
    calls_state.open = pair_table_open(&calls_state.known, CALLS_TABLE_SIZE);
  uint32_t place = calls_state.open ? pair_table_find(&calls_state.known, first, second) : 0;
  if (place)
    return place;
  place = (uint32_t)(place_by_name(names->class_name, names->method, *names->file ? names->file : NULL,
                                   class_line(match->file, match->method, 0)) &
                     ~RAW_CODE_PLACE);
  if (place && calls_state.open)
    pair_table_add(&calls_state.known, first, second, place);
  return place;
}

struct asked {
  bool asks;       /* weaving.h */
  unsigned wanted; /* methods so far */
};

/* The weaver asks about each method. *context: struct asked. */
static int32_t calls_number_of(void *context, const struct weave_match *match)
{
  struct names names;
  struct asked *asked = context;
  find_names(match, &names);
  if (!calls_is_wanted(&names))
    return -1;
  uint32_t place = asked->asks ? 1 : calls_place_of(match, &names);
  if (place == 0 || place > INT32_MAX)
    return -1;
  asked->wanted++;
  return (int32_t)place;
}

/* True if an entry of the list means any class of the JDK. */
static bool wants_jdk(void)
{
  bool found = false;
  for (const char *at = agent.options.calls; *at && !found; at += strcspn(at, ","), at += *at == ',')
    found = place_is_in_jdk(at);
  return found;
}

struct buffer method_calls_weave(struct weaving *class, const uint8_t *bytes, size_t size)
{
  unsigned unchanged;
  struct asked asked = {.asks = class->asks};
  if (!agent.options.calls || (place_is_in_jdk(class->name) && !wants_jdk()))
    return (struct buffer){0};
  struct buffer woven = call_hooks_weave(bytes, size, calls_number_of, &asked, &unchanged);
  if (!woven.bytes)
    unchanged = asked.wanted;
  if (unchanged > 0 && !class->again) {
    char number[24];
    struct text text = TEXT_OVER(number);
    text_add_number(&text, unchanged);
    diag_say("--calls: methods of ", class->name, " whose calls are not recorded: ", number,
             ": they are too long for hooks, or their compiler is unknown", NULL);
  }
  atomic_fetch_add(&calls_state.methods, asked.wanted);
  return woven;
}

void method_calls_end(void)
{
  if (agent.options.calls && atomic_load(&calls_state.methods) == 0)
    diag_say("--calls=", agent.options.calls, ": no such Java method was loaded; the JDK's own must be named with ",
             "their package", NULL);
}

/* The natives of the hook class. The JVM finds them by their names. */
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_called(JNIEnv *jni, jclass class, jint method);
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_left(JNIEnv *jni, jclass class, jint method);
JNIEXPORT void JNICALL Java_java_lang_HeddleHook_caught(JNIEnv *jni, jclass class, jint method);

/* A virtual thread may go on on another carrier, in the middle of a call: it has no tree. */
void Java_java_lang_HeddleHook_called(JNIEnv *jni, jclass class, jint method)
{
  (void)class;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (!thread_records(jni))
    return;
  if (thread_self.mounted)
    java_calls_wanted()->call_on_virtual();
  else if (thread_stack_ends((const void *)here))
    java_calls_wanted()->call_at_end(here);
  else
    java_calls_wanted()->call(RAW_CODE_PLACE | (uint32_t)method, here);
}

void Java_java_lang_HeddleHook_left(JNIEnv *jni, jclass class, jint method)
{
  (void)class;
  if (thread_records(jni) && !thread_self.mounted)
    java_calls_wanted()->leave(RAW_CODE_PLACE | (uint32_t)method, (uintptr_t)__builtin_frame_address(0));
}

void Java_java_lang_HeddleHook_caught(JNIEnv *jni, jclass class, jint method)
{
  (void)class;
  if (thread_records(jni) && !thread_self.mounted)
    java_calls_wanted()->caught(RAW_CODE_PLACE | (uint32_t)method, (uintptr_t)__builtin_frame_address(0));
}
