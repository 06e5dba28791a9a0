#include "jvmti-agent/events.h"

#include "base/count_of.h"
#include "common/raw/live_control.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/monitors.h"

#include <jvmti.h>

/* Events that come only for what is measured; of level=jvm. */
static const struct {
  jvmtiEvent event;
  uint32_t needs;
} measured[] = {{JVMTI_EVENT_MONITOR_CONTENDED_ENTER, LIVE_NEED_MONITORS},
                {JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, LIVE_NEED_MONITORS},
                {JVMTI_EVENT_GARBAGE_COLLECTION_START, LIVE_NEED_GC},
                {JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, LIVE_NEED_GC}};

static bool events_is_on[COUNT_OF(measured)]; /* of the thread that follows needs, once there is one */

/* An event that this JVM does not have now is left out. */
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

/* Those that the agent lives on, and those of level=jvm and of samples. */
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

uint32_t jvm_events_needs(void)
{
  return agent.options.jvm ? LIVE_NEED_MONITORS | LIVE_NEED_GC : 0;
}

uint32_t jvm_events_follow(uint32_t needs)
{
  uint32_t on = 0;
  for (size_t i = 0; agent.options.jvm && i < COUNT_OF(measured); i++) {
    set_measured(i, is_needed(i, needs));
    on |= events_is_on[i] ? measured[i].needs : 0;
  }
  return on;
}

unsigned jvm_events_on(void)
{
  unsigned on = 0;
  for (size_t i = 0; i < COUNT_OF(measured); i++)
    on += events_is_on[i];
  return on;
}
