#include "jvmti-agent/needed.h"

#include "common/recorder/live.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/recording.h"
#include "jvmti-agent/core/watch.h"
#include "jvmti-agent/events.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/woven.h"

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

/* Whoever changes what is needed; perhaps no thread of the JVM's. */
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
