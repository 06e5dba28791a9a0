/* What a thread waits for that has an owner, and whom the thread waits for. Any thread may ask about any. */
#ifndef HEDDLE_JVMTI_AGENT_STUCK_WAIT_H
#define HEDDLE_JVMTI_AGENT_STUCK_WAIT_H

#include "common/raw/raw_trace.h"

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/* A thread that waits without a time-out. References are local, and the caller's, but `thread`. */
struct stuck_wait {
  jthread thread;
  uint64_t id, object; /* Thread.getId; as object_of() has it */
  enum raw_block kind;
  jobject what;  /* NULL: the JVM does not tell */
  jthread owner; /* NULL: unknown */
};

/* Once, in the live phase. False: this JVM's classes are not what we know. */
bool stuck_wait_open(JNIEnv *jni);

/* Whether an object is a lock of java.util.concurrent that may have an owner. */
bool stuck_wait_is_owned(JNIEnv *jni, jobject object);

/* False: the thread does not wait, or for nothing that may have an owner. The owner is not asked for. */
bool stuck_wait_of(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, struct stuck_wait *wait);
/* Asks for the owner; of a monitor this stops the JVM. */
void stuck_wait_find_owner(jvmtiEnv *jvmti, JNIEnv *jni, struct stuck_wait *wait);
void stuck_wait_drop(JNIEnv *jni, const struct stuck_wait *wait);

/* Forgets how many lines were told: a recording begins. */
void stuck_wait_begin(void);
/* A line `stuck:` of the process file. False: there are too many. */
bool stuck_wait_tell(jvmtiEnv *jvmti, JNIEnv *jni, const struct stuck_wait *wait);

#endif
