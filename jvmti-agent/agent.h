/*
 * What the agent's subjects share: the JVM's interface, the options, and whether there is anything to record.
 */
#ifndef HEDDLE_JVMTI_AGENT_AGENT_H
#define HEDDLE_JVMTI_AGENT_AGENT_H

#include "common/recorder.h"
#include "jvmti-agent/options.h"

#include <jvmti.h>
#include <stdatomic.h>

struct agent {
  jvmtiEnv *jvmti;
  JavaVM *vm;
  struct agent_options options;
  atomic_bool live;      /* from VMInit to VMDeath; nothing is recorded before and after */
  bool late;             /* the JVM ran already when the agent came */
  uint64_t ticks_per_us; /* for thresholds only; known when live */
};

extern struct agent agent __attribute__((visibility("hidden")));

/*
 * Whether the calling thread records now; the first true of a thread that was there before us also tells what thread it
 * is. Each callback and each hook asks this before it records.
 */
bool agent_records(JNIEnv *jni);

#endif
