/*
 * What the agent's subjects share: the JVM's interface, the options, and whether there is anything to record. Knows
 * none of them.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_AGENT_H
#define HEDDLE_JVMTI_AGENT_CORE_AGENT_H

#include "common/recorder/recorder.h"
#include "jvmti-agent/core/options.h"

#include <jvmti.h>
#include <stdatomic.h>

struct agent {
  JavaVM *vm;
  jvmtiEnv *jvmti;
  struct agent_options options;
  atomic_bool live;      /* from VMInit to VMDeath, or to the agent's own end; nothing is recorded before and after */
  atomic_bool sees_wait; /* Object.wait is ours (natives.h): JVMTI's events add nothing */
  bool late;             /* the JVM ran already when the agent came */
  atomic_uint round;     /* how many recordings of this JVM were before; changes while nothing is recorded */
  uint64_t ticks_per_us; /* for thresholds only; known when live */
};

extern struct agent agent __attribute__((visibility("hidden")));

#endif
