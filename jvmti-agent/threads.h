/*
 * Java threads: which thread the calling one is, told once a thread, and whether it records. Callbacks and hooks run on
 * the thread that they are about, so that all of this is the calling thread's own.
 */
#ifndef HEDDLE_JVMTI_AGENT_THREADS_H
#define HEDDLE_JVMTI_AGENT_THREADS_H

#include "jvmti-agent/stack_end.h"

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

enum thread_state {
  THREAD_NEW = 0, /* nothing was recorded of it yet */
  THREAD_RECORDS,
  THREAD_SILENT /* it ended, or is one of those that the user does not want to see */
};

/* What the agent knows of the calling (kernel) thread. */
struct thread_self {
  uint8_t state;              /* enum thread_state */
  uint8_t block;              /* enum raw_block of the interval that is open, or 0 */
  uint8_t timed_out;          /* the last Object.wait ended so */
  uint8_t asked_for_timeouts; /* the event MonitorWaited is on for it */
  uint8_t owns_recorder;      /* the thread's recorder was attached for Java: nobody else goes on recording after it */
  uint32_t name_hash;         /* of the name as last recorded */
  uint64_t mounted;           /* Thread.getId of the virtual thread that runs on it; 0: none */
  uint64_t begin; /* ticks when the agent met it, where that was before it could tell what thread it is; or 0 */
  struct stack_end stack_end;
};
extern __thread struct thread_self thread_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Once, when the JVM can be asked for java.lang.Thread's fields. False: this JVM's Thread is not what we know. */
bool threads_open(JNIEnv *jni);

/* In Agent_OnLoad: the thread that loads the agent is the program's main thread, and its recording begins here. */
void threads_begin_main(void);

/* Tells what thread the calling one is, when it has not yet. Returns whether it records. */
bool thread_describe(JNIEnv *jni);

/* The same for a thread of the JVM's that runs no Java, such as those of the garbage collector. Asks the JVM nothing.
 */
void threads_describe_jvms(void);

/* Thread.getId of any thread; 0 for null. */
uint64_t thread_id_of(JNIEnv *jni, jobject thread);
/* Thread.parkBlocker of the calling thread: a local reference, or NULL. */
jobject thread_park_blocker(JNIEnv *jni);

/* Thread.start: the starting thread tells when; the started one asks. 0: not known. */
void threads_note_start(uint64_t id);
/* The calling thread gave itself another name. */
void threads_renamed(JNIEnv *jni, jobject thread);

/* Callbacks. */
void JNICALL threads_on_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);
void JNICALL threads_on_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

#endif
