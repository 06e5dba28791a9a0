#include "jvmti-agent/classes.h"

#include "common/budget/mix.h"
#include "common/process/diag.h"
#include "common/raw/live_control.h"
#include "common/recorder/clock.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/recording.h"
#include "jvmti-agent/blocks.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/pair_table.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/weaving.h"
#include "jvmti-agent/method_calls.h"
#include "jvmti-agent/monitors.h"
#include "jvmti-agent/runtimes/jomp_budget.h"
#include "jvmti-agent/runtimes/runtimes.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/runtimes/task_budget.h"
#include "jvmti-agent/weaver/class_output.h"
#include "jvmti-agent/weaver/hooks.h"
#include "jvmti-agent/weaver/rewrite.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Parts of the hooks; a set of parts is a mask with a bit for each. The first ones are the runtimes. */
enum { PART_HOLDS = RUNTIMES_KNOWN, PART_CALLS, PARTS };
#define PARTS_ALL ((1u << PARTS) - 1)

static_assert(PARTS <= SITE_PARTS, "sites know the parts");
static_assert(PARTS_ALL < PLACES_CODE_CHANGES, "places know which there are");

/* Returns the needs (LIVE_NEED_...) that a part serves. */
static uint32_t parts_needs(unsigned part)
{
  if (part < RUNTIMES_KNOWN)
    return runtimes_known[part]->needs;
  return part == PART_HOLDS ? LIVE_NEED_LOCKS : LIVE_NEED_CALLS;
}

static void parts_begin(void)
{
  for (unsigned part = 0; part < PARTS; part++)
    sites_need(part, parts_needs(part));
}

static uint32_t parts_of_use(uint32_t needs)
{
  uint32_t of_use = 0;
  for (unsigned part = 0; part < PARTS; part++)
    of_use |= (uint32_t)((parts_needs(part) & needs) != 0) << part;
  return of_use;
}

/* Classes lost the hooks of a part. */
static void parts_gone(unsigned part)
{
  if (part < RUNTIMES_KNOWN && runtimes_known[part]->hooks_gone)
    runtimes_known[part]->hooks_gone();
}

/* Returns the class with the hooks of class->part; bytes NULL: it has nothing for them. The caller frees the bytes. */
static struct buffer parts_weave(struct weaving *class, const uint8_t *bytes, size_t size)
{
  class->sum = 0;
  if (class->part < RUNTIMES_KNOWN)
    return runtimes_weave(runtimes_known[class->part], class, bytes, size);
  return class->part == PART_HOLDS ? holds_weave(class, bytes, size) : method_calls_weave(class, bytes, size);
}

#define NAMES   65536u /* room of the table; classes beyond it get no hooks later, or keep what they have */
#define SHORTLY 1000u  /* ms: a class that was loaded is in the JVM's list by then */

/* Hooks stay so long after their last need, so that changing them takes about a hundredth of a processor at most. */
#define LEAST_MS   1000u
#define TIMES_COST 100u

struct named {
  uint32_t could, has; /* parts */
  uint64_t loaded_ms;
};

static struct {
  bool begun;
  _Atomic uint32_t parts;
  pthread_mutex_t lock;      /* of the rest of this group */
  struct pair_table numbers; /* numbers of names, + 1 */
  struct named *names;
  uint32_t count, room;
  /* The thread's that follows. */
  uint64_t needed_ms[PARTS];     /* when somebody needed the part last */
  uint64_t began_ms, changed_ms; /* when parts changed last; 0: classes that were loaded then have followed, too */
  uint64_t cost_ms;              /* of the last change: processor time of the thread */
} woven_state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t now_ms(void)
{
  return clock_monotonic_ns() / 1000000;
}

static uint64_t processor_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Gives classes that are loaded from now on the hooks of these parts. False: out of memory. Once. */
static bool woven_begin(uint32_t parts)
{
  parts_begin();
  if (!pair_table_open(&woven_state.numbers, NAMES))
    return false;
  for (unsigned part = 0; part < PARTS; part++)
    if (parts >> part & 1)
      sites_begin_round(part);
  atomic_store(&woven_state.parts, parts);
  places_follow_code(parts);
  woven_state.begun = true;
  return true;
}

/* Returns the parts that classes have, or are about to get. Any thread. */
static uint32_t woven_parts(void)
{
  return atomic_load(&woven_state.parts);
}

/* The class of a name; NULL: nothing is known of it. */
static struct named *find(const char *name, size_t length, uint64_t hashes[2])
{
  hashes[0] = length;
  hashes[1] = ~hashes[0];
  for (size_t i = 0; i < length; i++) {
    hashes[0] = mix(hashes[0] ^ (unsigned char)name[i]);
    hashes[1] = mix(hashes[1] + (unsigned char)name[i]);
  }
  uint32_t number = pair_table_find(&woven_state.numbers, hashes[0], hashes[1]);
  return number ? &woven_state.names[number - 1] : NULL;
}

static struct named *woven_add(const uint64_t hashes[2])
{
  if (woven_state.count == woven_state.room) {
    uint32_t room = woven_state.room ? 2 * woven_state.room : 256;
    struct named *names = realloc(woven_state.names, room * sizeof *names);
    if (!names)
      return NULL;
    woven_state.names = names;
    woven_state.room = room;
  }
  if (!pair_table_add(&woven_state.numbers, hashes[0], hashes[1], woven_state.count + 1))
    return NULL;
  woven_state.names[woven_state.count] = (struct named){0};
  return &woven_state.names[woven_state.count++];
}

/* Notes a class that was loaded, or redefined (again): it has hooks of the parts `has`, and could have hooks of the
 * parts `could`. */
static void woven_note(const char *name, uint32_t could, uint32_t has, bool again)
{
  uint64_t hashes[2];
  pthread_mutex_lock(&woven_state.lock);
  struct named *class = find(name, strlen(name), hashes);
  if (!class && could)
    class = woven_add(hashes);
  if (class) {
    class->could |= could;
    class->has = has;
    class->loaded_ms = again ? class->loaded_ms : now_ms();
  }
  pthread_mutex_unlock(&woven_state.lock);
}

/* Classes to be retransformed. */
struct choice {
  uint32_t parts;       /* classes that could have one of these, ... */
  uint64_t from, until; /* ... and, unless until is 0, were loaded then (ms) or have not what they should */
};

static bool is_chosen(const struct named *class, const struct choice *choice)
{
  return (class->could & choice->parts) != 0 &&
         (choice->until == 0 || (class->loaded_ms >= choice->from && class->loaded_ms <= choice->until) ||
          class->has != (class->could & woven_parts()));
}

static bool any_is_chosen(const struct choice *choice)
{
  bool any = false;
  pthread_mutex_lock(&woven_state.lock);
  for (uint32_t i = 0; i < woven_state.count && !any; i++)
    any = is_chosen(&woven_state.names[i], choice);
  pthread_mutex_unlock(&woven_state.lock);
  return any;
}

static bool woven_is_meant(jvmtiEnv *jvmti, jclass class, const struct choice *choice)
{
  char *signature;
  uint64_t hashes[2];
  if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE)
    return false;
  size_t length = strlen(signature);
  bool meant = false;
  if (*signature == 'L' && length > 2) { /* Ljava/lang/Object; */
    pthread_mutex_lock(&woven_state.lock);
    const struct named *found = find(signature + 1, length - 2, hashes);
    meant = found && is_chosen(found, choice);
    pthread_mutex_unlock(&woven_state.lock);
  }
  (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
  jboolean modifiable;
  return meant && (*jvmti)->IsModifiableClass(jvmti, class, &modifiable) == JVMTI_ERROR_NONE && modifiable;
}

/* The JVM takes all or none: one that it refuses is left behind alone. */
static void retransform(jvmtiEnv *jvmti, jint count, const jclass *classes)
{
  if (count == 0 || (*jvmti)->RetransformClasses(jvmti, count, classes) == JVMTI_ERROR_NONE)
    return;
  for (jint i = 0; count > 1 && i < count; i++)
    (void)(*jvmti)->RetransformClasses(jvmti, 1, &classes[i]);
}

/* The JVM makes them from what they were, and asks classes_on_load again. */
static void make_anew(jvmtiEnv *jvmti, JNIEnv *jni, const struct choice *choice)
{
  jint count, n = 0;
  jclass *classes;
  if (!any_is_chosen(choice) || (*jni)->PushLocalFrame(jni, UINT16_MAX) != JNI_OK)
    return;
  if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) == JVMTI_ERROR_NONE) {
    for (jint i = 0; i < count; i++)
      if (woven_is_meant(jvmti, classes[i], choice))
        classes[n++] = classes[i];
      else
        (*jni)->DeleteLocalRef(jni, classes[i]);
    retransform(jvmti, n, classes);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
  }
  (*jni)->PopLocalFrame(jni, NULL);
}

static void change(jvmtiEnv *jvmti, JNIEnv *jni, uint32_t parts)
{
  uint64_t begin = processor_ms();
  woven_state.began_ms = now_ms();
  uint32_t before = atomic_exchange(&woven_state.parts, parts);
  for (unsigned part = 0; part < PARTS; part++)
    if ((parts & ~before) >> part & 1)
      sites_begin_round(part);
    else if ((before & ~parts) >> part & 1)
      sites_end_round(part);
  places_follow_code(PLACES_CODE_CHANGES);
  make_anew(jvmti, jni, &(struct choice){.parts = before ^ parts});
  places_follow_code(parts);
  for (unsigned part = 0; part < PARTS; part++)
    if ((before & ~parts) >> part & 1)
      parts_gone(part);
  woven_state.changed_ms = now_ms();
  woven_state.cost_ms = processor_ms() - begin;
}

/* Parts that somebody needs, or has needed not long ago. */
static uint32_t parts_to_keep(uint32_t needs, uint64_t now)
{
  uint32_t keep = 0, of_use = parts_of_use(needs);
  uint64_t stay = TIMES_COST * woven_state.cost_ms > LEAST_MS ? TIMES_COST * woven_state.cost_ms : LEAST_MS;
  for (unsigned part = 0; part < PARTS; part++) {
    if (of_use >> part & 1)
      woven_state.needed_ms[part] = now;
    if ((of_use >> part & 1) || now - woven_state.needed_ms[part] < stay)
      keep |= 1u << part;
  }
  return of_use | (keep & woven_parts());
}

/* A class that was being loaded at the last change may have what was right before it. */
static void look_after_loads(jvmtiEnv *jvmti, JNIEnv *jni, uint64_t now)
{
  if (woven_state.changed_ms == 0 || now - woven_state.changed_ms < SHORTLY)
    return;
  struct choice late = {PARTS_ALL, woven_state.began_ms - SHORTLY, woven_state.changed_ms};
  woven_state.changed_ms = 0;
  make_anew(jvmti, jni, &late);
}

void woven_follow(jvmtiEnv *jvmti, JNIEnv *jni, uint32_t needs)
{
  if (!woven_state.begun)
    return;
  uint64_t now = now_ms();
  uint32_t parts = parts_to_keep(needs, now);
  if (parts != woven_parts())
    change(jvmti, jni, parts);
  else
    look_after_loads(jvmti, jni, now);
}

/* Takes all hooks out, as far as the JVM allows. After the last woven_follow. */
static void woven_end(jvmtiEnv *jvmti, JNIEnv *jni)
{
  if (!woven_state.begun)
    return;
  change(jvmti, jni, 0);
  woven_state.begun = false;
}

uint32_t woven_needs(void)
{
  uint32_t needs = 0;
  for (unsigned part = 0; woven_state.begun && part < PARTS; part++)
    needs |= parts_needs(part);
  return needs;
}

unsigned woven_classes(void)
{
  unsigned count = 0;
  pthread_mutex_lock(&woven_state.lock);
  for (uint32_t i = 0; i < woven_state.count; i++)
    count += woven_state.names[i].has != 0;
  pthread_mutex_unlock(&woven_state.lock);
  return count;
}

#define FIRST_OF_VIRTUAL_THREADS "java/lang/VirtualThread$VThreadContinuation$1"

/* Returns the offset of Thread.tid in its object; 0: unknown. */
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

/*
 * Returns the bits of an object's first word that are 0 until somebody asks for the object's hash. HotSpot has the hash
 * there. 0: this JVM has not.
 */
static uint64_t hash_bits(JNIEnv *jni)
{
  const uint64_t bits = ((1ull << 42) - (1ull << 8)) | 2;
  uint64_t before = ~0ull, after = 0;
  jint hash;
  jclass class = (*jni)->FindClass(jni, "jdk/internal/misc/Unsafe"), of = (*jni)->FindClass(jni, "java/lang/Object");
  jmethodID get = class ? (*jni)->GetStaticMethodID(jni, class, "getUnsafe", "()Ljdk/internal/misc/Unsafe;") : NULL;
  jmethodID read = get ? (*jni)->GetMethodID(jni, class, "getLong", "(Ljava/lang/Object;J)J") : NULL;
  jobject unsafe = read ? (*jni)->CallStaticObjectMethod(jni, class, get) : NULL, object = NULL;
  if (!(*jni)->ExceptionCheck(jni) && unsafe && of && (object = (*jni)->AllocObject(jni, of)) != NULL) {
    before = (uint64_t)(*jni)->CallLongMethod(jni, unsafe, read, object, (jlong)0);
    if (!(*jni)->ExceptionCheck(jni) &&
        (*agent.jvmti)->GetObjectHashCode(agent.jvmti, object, &hash) == JVMTI_ERROR_NONE)
      after = (uint64_t)(*jni)->CallLongMethod(jni, unsafe, read, object, (jlong)0);
  }
  if ((*jni)->ExceptionCheck(jni))
    (*jni)->ExceptionClear(jni);
  (*jni)->DeleteLocalRef(jni, object);
  (*jni)->DeleteLocalRef(jni, unsafe);
  (*jni)->DeleteLocalRef(jni, of);
  (*jni)->DeleteLocalRef(jni, class);
  return (before & bits) == 0 && (after & bits) != 0 ? bits : 0;
}

void classes_start(jvmtiEnv *jvmti, JNIEnv *jni)
{
  if (!options_want_classes(&agent.options))
    return;
  struct hook_memory memory = {.switches = sites_switches(), .tid_offset = offset_of_tid(jni)};
  memory.omits = jomp_budget_begin();
  memory.hash_bits = memory.omits ? hash_bits(jni) : 0;
  if (memory.hash_bits != 0)
    task_budget_allow();
  block_in_omitted = task_budget_follow_block;
  memory.slots = memory.tid_offset > 0 ? jomp_budget_slots() : NULL;
  struct buffer file = hook_class(&memory);
  jclass defined = NULL;
  if (!file.failed)
    defined = (*jni)->DefineClass(jni, HOOK_CLASS, NULL, (const jbyte *)file.bytes, (jsize)file.size);
  free(file.bytes);
  if (!defined) {
    (*jni)->ExceptionClear(jni);
    diag_say("this JVM rejects the class for hooks: constructs of JOMP, held monitors, exact calls and the places of "
             "notify ",
             "are not recorded", NULL);
    return;
  }
  (*jni)->DeleteLocalRef(jni, defined);
  if (!woven_begin(recording_config()->skip ? parts_of_use(needs_mask(needs_now())) : PARTS_ALL)) {
    diag_say("out of memory: constructs of JOMP, held monitors, exact calls and the places of notify are not recorded",
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

/* The same for the parts that are on; notes for which parts there is something to weave. */
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
 * made, when a class is loaded that its constructor needs. Programs without virtual threads do not pay for it. An
 * earlier look-up would initialize the class, and load the pools before they are woven.
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
