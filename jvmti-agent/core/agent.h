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

/*
 * A thread of the JVM's own group, named "Heddle", in which subjects look at the JVM from time to time. There is one;
 * it begins with the first subject.
 */

#define WATCH_SUBJECTS 6u
#define WATCH_MS       500u /* what most subjects return */

/* Returns in how many ms it is to be called again; 0: never. */
typedef unsigned watch_look(jvmtiEnv *jvmti, JNIEnv *jni);

/* Has `look` called, at first after WATCH_MS at most. In the live phase, on one thread at a time. */
void watch_begin(jvmtiEnv *jvmti, JNIEnv *jni, watch_look *look);

/* Has it called at once, or right after the look that goes on. Nothing happens unless it has begun. Any thread, also in
 * handlers of signals: takes no lock. */
void watch_hurry(watch_look *look);

/* None is called any more when this returns. */
void watch_end(void);
/* The same at the end of the JVM: one that goes on may wait for a lock of the program, so it is given two seconds. */
void watch_end_soon(void);

#endif
