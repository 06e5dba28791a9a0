/*
 * Java threads: the identity of the calling thread, recorded once, and whether it records. Notes of what it does to
 * other threads. Callbacks and hooks run on the thread that they are about, so the functions are for the calling
 * thread.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_THREADS_H
#define HEDDLE_JVMTI_AGENT_CORE_THREADS_H

#include "common/raw/raw_trace.h"
#include "common/recorder/measured_groups.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/thread_self.h"

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* True if a thread belongs to a pool that executes parallel regions. For any thread. */
typedef bool thread_is_worker(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

/* Called when the calling thread, with this Thread.getId, begins to record. */
typedef void thread_begins(JNIEnv *jni, uint64_t id);

/* Looks the fields of java.lang.Thread up. False: this JVM's Thread is unknown. Before each recording. */
bool threads_open(JNIEnv *jni, thread_is_worker *of_a_runtime, thread_begins *begins);

/* Has `forget` called with a thread's first record in a further recording. */
void threads_forget_by(void (*forget)(void));

/* Returns when the agent first saw the thread with this Thread.getId, in ticks; 0: at its first record. */
typedef uint64_t thread_known_since(uint64_t id);
void threads_ask_since(thread_known_since *since);

/* Records another thread, which made no record itself, from `since` (ticks) on. */
void threads_record_for(JNIEnv *jni, jthread thread, uint64_t since);
/* Records a virtual thread that has waited since then. */
void threads_record_virtual(JNIEnv *jni, jthread thread, uint64_t since);

/* Begins to record the program's main thread, which loads the agent. In Agent_OnLoad. */
void threads_begin_main(void);

/* Records the identity of the calling thread, once. True if the thread records. */
bool thread_describe(JNIEnv *jni);

/* True if the calling thread's state belongs to an earlier recording and must be forgotten. */
static inline bool thread_is_of_before(void)
{
  return thread_self.round != atomic_load_explicit(&agent.round, memory_order_relaxed);
}
void thread_begin_round(void);

/*
 * True if the calling thread records now. Each callback and each hook asks this before it records. The first call
 * describes a thread that is older than the agent.
 */
static inline bool thread_records(JNIEnv *jni)
{
  if (!atomic_load_explicit(&agent.live, memory_order_acquire))
    return false;
  if (thread_is_of_before())
    thread_begin_round();
  return thread_self.state == THREAD_RECORDS || (thread_self.state == THREAD_NEW && thread_describe(jni));
}

/* The same, without a question to the JVM: false also if the thread is not described yet. */
static inline bool thread_is_recorded(void)
{
  return atomic_load_explicit(&agent.live, memory_order_acquire) && !thread_is_of_before() &&
         thread_self.state == THREAD_RECORDS;
}

/* True if the calling thread records and all of these groups (LIVE_NEED_...) are needed. */
static inline bool thread_measures(JNIEnv *jni, uint32_t groups)
{
  return thread_records(jni) && needs_have(groups);
}

/* As thread_describe(), for a thread of the JVM that runs no Java, as the garbage collector's. Does not ask the JVM. */
void threads_describe_jvms(void);

/* Lets the calling thread record once more, as one of the JVM's, after its end as a Java thread. At the JVM's end. */
void threads_record_end(void);

/* True if an object is a java.lang.Thread. */
bool thread_is_object(JNIEnv *jni, jobject object);
/* Returns Thread.getId of any thread; 0 for null. */
uint64_t thread_id_of(JNIEnv *jni, jobject thread);
/* The same for any object; 0: it is no thread. */
uint64_t thread_id_if_thread(JNIEnv *jni, jobject object);
/* Returns Thread.parkBlocker of the calling thread as a local reference, or NULL. */
jobject thread_park_blocker(JNIEnv *jni);
/* The same for any thread. */
jobject thread_park_blocker_of(JNIEnv *jni, jobject thread);

/* Notes the time for a thread that the calling one starts. */
void threads_note_start(uint64_t id);
/* Records the calling thread's new name. */
void threads_renamed(JNIEnv *jni, jobject thread);

/* Callbacks. */
void JNICALL threads_on_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);
void JNICALL threads_on_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

/* True if a note (notify, interrupt, unpark) is within the budget; then its weight is recorded. */
bool note_is_taken(enum raw_note note, uint64_t code);
/* Records that the calling thread unparks another one. */
void note_unpark(JNIEnv *jni, jobject thread);

#endif
