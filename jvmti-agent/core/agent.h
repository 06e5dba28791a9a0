/*
 * State of the agent that all its parts share, and its own thread "Heddle".
 *
 * The thread belongs to a group of the JVM's own. Parts of the agent have it look at the JVM from time to time. There
 * is one such thread; it begins with the first part that needs it.
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
  atomic_bool sees_wait; /* Object.wait is replaced (natives.h): JVMTI's events add nothing */
  bool late;             /* the JVM ran already when the agent was loaded */
  atomic_uint round;     /* number of earlier recordings of this JVM; changes while nothing is recorded */
  uint64_t ticks_per_us; /* for thresholds only; known when live */
};

extern struct agent agent __attribute__((visibility("hidden")));

#define WATCH_SUBJECTS 7u   /* parts that may call watch_begin */
#define WATCH_MS       500u /* what most looks return */

/* A look at the JVM. Returns after how many ms it is to be called again; 0: never. */
typedef unsigned watch_look(jvmtiEnv *jvmti, JNIEnv *jni);

/* Has the thread "Heddle" call `look`, for the first time within WATCH_MS. In the live phase, on one thread at a time.
 */
void watch_begin(jvmtiEnv *jvmti, JNIEnv *jni, watch_look *look);

/* Has it call `look` at once, or right after the look that it is in. Does nothing before watch_begin. Any thread, also
 * in signal handlers: takes no lock. */
void watch_hurry(watch_look *look);

/* Ends all looks, and waits for the running one. */
void watch_end(void);
/* The same at the JVM's end: waits two seconds at most, because the look may wait for a lock of the program. */
void watch_end_soon(void);

#endif
