/*
 * Java threads: which thread the calling one is, recorded once a thread, and whether it records. Callbacks and hooks
 * run on the thread that they are about, so all of this is the calling thread's own.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_THREADS_H
#define HEDDLE_JVMTI_AGENT_CORE_THREADS_H

#include "common/recorder/measured_groups.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/thread_self.h"

/* Whether a thread belongs to a pool that executes parallel regions; it may be asked of any thread. */
typedef bool thread_is_worker(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

/* What else is to begin when the calling thread, with that Thread.getId, begins to record. */
typedef void thread_begins(JNIEnv *jni, uint64_t id);

/* Before each recording, once the JVM can be asked for java.lang.Thread's fields. False: this JVM's Thread is not what
 * we know. */
bool threads_open(JNIEnv *jni, thread_is_worker *of_a_runtime, thread_begins *begins);

/* What else a thread is to forget with its first record of a further recording. */
void threads_forget_by(void (*forget)(void));

/* When the agent first saw the thread with that Thread.getId, in ticks; 0: at its first record. */
typedef uint64_t thread_known_since(uint64_t id);
void threads_ask_since(thread_known_since *since);

/* Records a thread that did nothing while it was recorded, from `since` (ticks) on, by the calling thread. */
void threads_record_for(JNIEnv *jni, jthread thread, uint64_t since);
/* Records a virtual thread, which waits since then, likewise. */
void threads_record_virtual(JNIEnv *jni, jthread thread, uint64_t since);

/* In Agent_OnLoad: the thread that loads the agent is the program's main thread, and its recording begins here. */
void threads_begin_main(void);

/* Records what thread the calling one is, if it has not yet. Returns whether it records. */
bool thread_describe(JNIEnv *jni);

/* Whether what is known of the calling thread is of a recording that was before, and to be forgotten. */
static inline bool thread_is_of_before(void)
{
  return thread_self.round != atomic_load_explicit(&agent.round, memory_order_relaxed);
}
void thread_begin_round(void);

/*
 * Whether the calling thread records now. A thread that is older than the agent is described at its
 * first question. Each callback and each hook asks this before it records.
 */
static inline bool thread_records(JNIEnv *jni)
{
  if (!atomic_load_explicit(&agent.live, memory_order_acquire))
    return false;
  if (thread_is_of_before())
    thread_begin_round();
  return thread_self.state == THREAD_RECORDS || (thread_self.state == THREAD_NEW && thread_describe(jni));
}

/* Whether it does, and has been described already: asks the JVM nothing. */
static inline bool thread_is_recorded(void)
{
  return atomic_load_explicit(&agent.live, memory_order_acquire) && !thread_is_of_before() &&
         thread_self.state == THREAD_RECORDS;
}

/* The same, of what belongs to these groups (LIVE_NEED_...), all of which have to be needed. */
static inline bool thread_measures(JNIEnv *jni, uint32_t groups)
{
  return thread_records(jni) && needs_have(groups);
}

/* As thread_describe() for a thread of the JVM's that runs no Java, such as those of the garbage collector. Asks the
 * JVM nothing.
 */
void threads_describe_jvms(void);

/* At the JVM's end: the calling thread has ended for the JVM before, and is to record once more, as one of the JVM's.
 */
void threads_record_end(void);

/* Whether an object is a java.lang.Thread. */
bool thread_is_object(JNIEnv *jni, jobject object);
/* Thread.getId of any thread; 0 for null. */
uint64_t thread_id_of(JNIEnv *jni, jobject thread);
/* The same of any object; 0: it is no thread. */
uint64_t thread_id_if_thread(JNIEnv *jni, jobject object);
/* Thread.parkBlocker of the calling thread: a local reference, or NULL. */
jobject thread_park_blocker(JNIEnv *jni);
/* The same of any thread. */
jobject thread_park_blocker_of(JNIEnv *jni, jobject thread);

/* Thread.start: the starting thread notes the time for the started one. */
void threads_note_start(uint64_t id);
/* The calling thread gave itself another name. */
void threads_renamed(JNIEnv *jni, jobject thread);

/* Callbacks. */
void JNICALL threads_on_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);
void JNICALL threads_on_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

#endif
