#include "jvmti-agent/woven.h"

#include "common/budget/mix.h"
#include "common/recorder/clock.h"
#include "jvmti-agent/core/pair_table.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/parts.h"
#include "jvmti-agent/runtimes/sites.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAMES   65536u /* room of the table; classes beyond it get no hooks later, or keep those that they have */
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
  struct pair_table numbers; /* of names, + 1 */
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

bool woven_begin(uint32_t parts)
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

uint32_t woven_parts(void)
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

void woven_note(const char *name, uint32_t could, uint32_t has, bool again)
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

/* Which classes are to be asked for anew. */
struct choice {
  uint32_t parts;       /* those that could have one of these, ... */
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

void woven_end(jvmtiEnv *jvmti, JNIEnv *jni)
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
