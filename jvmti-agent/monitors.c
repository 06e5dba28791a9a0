#include "jvmti-agent/monitors.h"

#include "common/process/diag.h"
#include "jvmti-agent/blocks.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/lock_names.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/virtual_threads.h"
#include "jvmti-agent/wait_owners.h"
#include "jvmti-agent/weaver/monitor_hooks.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/*
 * The event MonitorWaited makes every wait slower on the threads that it is on for. So it is on for threads that have
 * waits with a timeout. To switch it on for one thread the JVM goes through all: beyond so many it is on for all.
 */
#define THREADS_ASKED 64
#define OWNER_EVERY   10000 /* us: to ask for a monitor's owner stops the JVM */

/* Names all before the wait: the callback at its end may come on another carrier, where the JVM is not to be asked. */
static void monitors_begin(JNIEnv *jni, enum raw_block kind, jobject object)
{
  struct place_stack stack;
  uint64_t code = place_if_known(agent.jvmti, jni, kind, &stack);
  if (!code)
    code = place_of_stack(agent.jvmti, jni, &stack);
  if (kind == RAW_BLOCK_WAIT && stack.in_join)
    kind = RAW_BLOCK_JOIN;
  uint64_t number = object_of(agent.jvmti, jni, object);
  lock_name_frame(jni, number, &stack);
  block_begin(kind, code, number);
  thread_self.enter = (struct virtual_enter){.code = code, .object = number};
}

static bool may_ask_for_owner(void)
{
  static atomic_uint_fast64_t last;
  uint64_t now = clock_ticks(), then = atomic_load(&last);
  return now - then > OWNER_EVERY * agent.ticks_per_us && atomic_compare_exchange_strong(&last, &then, now);
}

/* False: there is none, or it was not asked for. */
static bool report_owner(JNIEnv *jni, jobject object)
{
  jthread owner = may_ask_for_owner() ? owner_of_monitor(agent.jvmti, jni, object) : NULL;
  if (!owner)
    return false;
  recorder_emit3(RAW_BLOCK_OWNER, 0, place_of_thread(agent.jvmti, jni, owner, NULL), thread_id_of(jni, owner));
  (*jni)->DeleteLocalRef(jni, owner);
  return true;
}

static atomic_uint entering; /* waits whose end is still to come */

unsigned monitors_entering(void)
{
  return atomic_load(&entering);
}

void monitors_forget(void)
{
  atomic_store(&entering, 0);
}

/* The wait of a virtual thread ends for us where it lets go of its carrier. */
static void note_entering(void)
{
  if (thread_self.mounted || thread_self.enters)
    return;
  thread_self.enters = 1;
  atomic_fetch_add(&entering, 1);
}

void JNICALL monitors_on_enter(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object)
{
  (void)jvmti;
  if (!thread_measures(jni, LIVE_NEED_MONITORS))
    return;
  note_entering();
  thread_self.whole = runtimes_wait_for(jni, object);
  monitors_begin(jni, RAW_BLOCK_ENTER, object);
  if (thread_self.mounted)
    virtual_wait_begins(jni, thread, thread_self.mounted, true, object_of(agent.jvmti, jni, object));
  bool reported = agent.options.owner && report_owner(jni, object);
  if (!reported && !thread_self.mounted)
    owners_wait_begins(jni, object);
}

/*
 * The rest of a virtual thread's wait, on the carrier that has kept it. An equally short rest belongs to a thread which
 * was let go of, and came back at once to enter.
 */
static void end_on_carrier(JNIEnv *jni)
{
  bool pinned = clock_ticks() - thread_self.enter.again > blocks_long;
  thread_self.enter.again = 0;
  if (pinned)
    block_pinned(place_that_pins(agent.jvmti, jni));
  block_end(RAW_BLOCK_ENTER | (pinned ? 0 : RAW_BLOCK_NONE), 0, 0);
}

void JNICALL monitors_on_entered(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object)
{
  (void)jvmti, (void)object;
  if (thread_self.enters && !thread_is_of_before())
    atomic_fetch_sub(&entering, 1);
  thread_self.enters = 0;
  if (thread_self.mounted)
    virtual_wait_ends(thread_self.mounted, true);
  if (!thread_records(jni) || thread_self.block != RAW_BLOCK_ENTER)
    return;
  owners_wait_ends(jni, thread);
  if (thread_self.enter.again)
    end_on_carrier(jni);
  else
    block_end(RAW_BLOCK_ENTER, 0, 0);
  thread_self.whole = 0;
}

void monitors_ask_for_timeouts(JNIEnv *jni)
{
  static atomic_uint asked;
  static atomic_bool all_asked;
  jthread thread = NULL; /* all of them */
  if (thread_self.asked_for_timeouts || atomic_load(&all_asked))
    return;
  bool alone = atomic_fetch_add(&asked, 1) < THREADS_ASKED;
  if (alone && (*agent.jvmti)->GetCurrentThread(agent.jvmti, &thread) != JVMTI_ERROR_NONE)
    return;
  (*agent.jvmti)->SetEventNotificationMode(agent.jvmti, JVMTI_ENABLE, JVMTI_EVENT_MONITOR_WAITED, thread);
  thread_self.asked_for_timeouts = true;
  if (alone)
    (*jni)->DeleteLocalRef(jni, thread);
  else
    atomic_store(&all_asked, true);
}

void JNICALL monitors_on_wait(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jlong timeout)
{
  (void)jvmti, (void)thread, (void)timeout;
  if (thread_records(jni) && needs_any(LIVE_NEED_MONITORS | LIVE_NEED_PARKS))
    monitors_begin(jni, RAW_BLOCK_WAIT, object);
}

void JNICALL monitors_on_waited(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jboolean timed_out)
{
  (void)jvmti, (void)jni, (void)thread, (void)object;
  thread_self.timed_out = timed_out;
  /* If Object.wait itself is recorded, it ends later, when the thread has the monitor again. */
  unsigned kind = thread_self.block;
  if (!atomic_load_explicit(&agent.sees_wait, memory_order_relaxed) &&
      (kind == RAW_BLOCK_WAIT || kind == RAW_BLOCK_JOIN) && thread_is_recorded())
    block_end(kind | (timed_out ? RAW_BLOCK_TIMED_OUT : 0), 0, 0);
}

#define HOLDS_NAME_MAX_BYTES 1024

/* A monitor as a wait id: class and identity hash in 47 bits, beside OpenMP's wait ids, which are addresses. */
#define MONITOR_ID   (1ull << 47)
#define CLASSES_MOST (1u << 15)

/* True if one of the patterns, separated by ':', matches a class' name. */
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
  unsigned unchanged;
  struct buffer woven = monitor_hooks_weave(bytes, size, make_site, class, &unchanged);
  if (unchanged > 0 && !class->again)
    diag_say("hold=: some methods of ", class->name,
             " were made by an unknown compiler: ", "the time for which they hold monitors is not recorded", NULL);
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

/* Monitors of virtual threads are not recorded: they may be released on another carrier. */
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
