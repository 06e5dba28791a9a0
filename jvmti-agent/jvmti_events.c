#include "jvmti-agent/jvmti_events.h"

#include "base/count_of.h"
#include "common/raw/live_control.h"
#include "common/recorder/live.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/recording.h"
#include "jvmti-agent/classes.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/monitors.h"
#include "jvmti-agent/runtimes/sites.h"

#include <jvmti.h>
#include <string.h>

/*
 * can_support_virtual_threads follows can_generate_sampled_object_alloc_events in the struct since JDK 21; headers of
 * older JDKs have no name for it.
 */
static void want_virtual_threads(jvmtiCapabilities *wanted)
{
  jvmtiCapabilities neighbour;
  unsigned char *to = (unsigned char *)wanted, from[sizeof neighbour];
  memset(&neighbour, 0, sizeof neighbour);
  neighbour.can_generate_sampled_object_alloc_events = 1;
  memcpy(from, &neighbour, sizeof from);
  for (size_t i = 0; i < sizeof from; i++) {
    to[i] |= (unsigned char)(from[i] << 1);
    if (from[i] & 0x80 && i + 1 < sizeof from)
      to[i + 1] |= 1;
  }
}

static void keep_possible(jvmtiCapabilities *wanted, const jvmtiCapabilities *possible)
{
  for (size_t i = 0; i < sizeof *wanted; i++)
    ((unsigned char *)wanted)[i] &= ((const unsigned char *)possible)[i];
}

static bool has_virtual_threads(const jvmtiCapabilities *possible)
{
  static const jvmtiCapabilities none;
  jvmtiCapabilities wanted = none;
  want_virtual_threads(&wanted);
  keep_possible(&wanted, possible);
  return memcmp(&wanted, &none, sizeof none) != 0;
}

jvmtiError capabilities_add(jvmtiEnv *jvmti, const struct agent_options *options)
{
  jvmtiCapabilities wanted, possible;
  memset(&wanted, 0, sizeof wanted);
  wanted.can_get_line_numbers = wanted.can_get_source_file_name = 1;
  wanted.can_tag_objects = options->jvm || *options->hold; /* classes have their numbers there */
  if (options->jvm) {
    wanted.can_generate_monitor_events = 1;
    wanted.can_generate_garbage_collection_events = 1;
    wanted.can_generate_native_method_bind_events = 1;
    wanted.can_generate_early_vmstart = 1;
    wanted.can_get_monitor_info = wanted.can_get_current_contended_monitor = 1;
  }
  if (options_want_mounts(options))
    want_virtual_threads(&wanted);
  /* With the second, the JVM keeps the classes as they were: other agents that transform them later start from those.
   */
  wanted.can_generate_all_class_hook_events = wanted.can_retransform_classes = options_want_classes(options);
  wanted.can_get_constant_pool = options->jvm || wanted.can_retransform_classes;
  wanted.can_get_bytecodes = options->jvm;
  /* An impossible capability would make the JVM refuse all of them. */
  jvmtiError error = (*jvmti)->GetPotentialCapabilities(jvmti, &possible);
  if (error != JVMTI_ERROR_NONE)
    return error;
  keep_possible(&wanted, &possible);
  if (options->jvm && options->virtual_threads &&
      has_virtual_threads(&possible)) /* who has a monitor is not said of them */
    wanted.can_get_owned_monitor_info = possible.can_get_owned_monitor_info;
  return (*jvmti)->AddCapabilities(jvmti, &wanted);
}

/* Events that come only for what is measured; of level=jvm. */
static const struct {
  jvmtiEvent event;
  uint32_t needs;
} measured[] = {{JVMTI_EVENT_MONITOR_CONTENDED_ENTER, LIVE_NEED_MONITORS},
                {JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, LIVE_NEED_MONITORS},
                {JVMTI_EVENT_GARBAGE_COLLECTION_START, LIVE_NEED_GC},
                {JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, LIVE_NEED_GC}};

static bool events_is_on[COUNT_OF(measured)]; /* state of the thread that follows needs, once there is one */

/* Ignores an event that this JVM does not have now. */
static void set_event(jvmtiEventMode mode, jvmtiEvent event)
{
  (*agent.jvmti)->SetEventNotificationMode(agent.jvmti, mode, event, NULL);
}

static void set_measured(size_t i, bool on)
{
  if (events_is_on[i] != on)
    set_event(on ? JVMTI_ENABLE : JVMTI_DISABLE, measured[i].event);
  events_is_on[i] = on;
}

/* Switches the events that the agent always needs, the events of level=jvm and the events of samples. */
static void set_events(jvmtiEventMode mode)
{
  static const jvmtiEvent always[] = {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_THREAD_START};
  static const jvmtiEvent of_jvm[] = {JVMTI_EVENT_NATIVE_METHOD_BIND, JVMTI_EVENT_CLASS_LOAD};
  static const jvmtiEvent of_samples[] = {JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE};
  for (size_t i = 0; i < COUNT_OF(always); i++)
    set_event(mode, always[i]);
  set_event(JVMTI_ENABLE, JVMTI_EVENT_THREAD_END); /* for good: a thread gives its memory back */
  for (size_t i = 0; agent.options.jvm && i < COUNT_OF(of_jvm); i++)
    set_event(mode, of_jvm[i]);
  for (size_t i = 0; agent.options.jvm && i < COUNT_OF(measured); i++)
    set_measured(i, mode == JVMTI_ENABLE);
  for (size_t i = 0; agent.options.sample && i < COUNT_OF(of_samples); i++)
    set_event(mode, of_samples[i]);
  if (agent.options.jvm && agent.late && !atomic_load(&agent.sees_wait)) {
    set_event(mode, JVMTI_EVENT_MONITOR_WAIT);
    set_event(mode, JVMTI_EVENT_MONITOR_WAITED);
  }
  if (mode == JVMTI_DISABLE)
    set_event(mode, JVMTI_EVENT_MONITOR_WAITED);
}

void jvm_events_begin(void)
{
  monitors_forget();
  set_events(JVMTI_ENABLE);
}

void jvm_events_end(void)
{
  set_events(JVMTI_DISABLE);
}

/* The end of a wait that was recorded is awaited: else a later wait would be taken for it. */
static bool is_needed(size_t i, uint32_t mask)
{
  return (mask & measured[i].needs) != 0 ||
         (measured[i].event == JVMTI_EVENT_MONITOR_CONTENDED_ENTERED && monitors_entering() > 0);
}

static uint32_t jvm_events_needs(void)
{
  return agent.options.jvm ? LIVE_NEED_MONITORS | LIVE_NEED_GC : 0;
}

static uint32_t jvm_events_follow(uint32_t needs)
{
  uint32_t on = 0;
  for (size_t i = 0; agent.options.jvm && i < COUNT_OF(measured); i++) {
    set_measured(i, is_needed(i, needs));
    on |= events_is_on[i] ? measured[i].needs : 0;
  }
  return on;
}

static unsigned jvm_events_on(void)
{
  unsigned on = 0;
  for (size_t i = 0; i < COUNT_OF(measured); i++)
    on += events_is_on[i];
  return on;
}

static unsigned needed_look(jvmtiEnv *jvmti, JNIEnv *jni)
{
  uint32_t mask = needs_mask(needs_now()), deferred = jvm_events_needs() | woven_needs();
  uint32_t on = jvm_events_follow(mask) | (mask & woven_needs());
  woven_follow(jvmti, jni, mask);
  live_report_java(jvm_events_on(), sites_on(), woven_classes());
  live_report_done(deferred & ~on, false);
  live_report_done(on, true);
  return WATCH_MS;
}

/* Called by any thread that changes what is needed; perhaps no thread of the JVM's. */
static void needed_hurry(void)
{
  sites_follow_needs();
  watch_hurry(needed_look);
}

void needed_follow(jvmtiEnv *jvmti, JNIEnv *jni)
{
  uint32_t deferred = jvm_events_needs() | woven_needs();
  if (!recording_config()->skip || deferred == 0)
    return;
  (void)needed_look(jvmti, jni);
  live_defer(deferred);
  recording_watch_needs(needed_hurry);
  watch_begin(jvmti, jni, needed_look);
  watch_hurry(needed_look);
}
