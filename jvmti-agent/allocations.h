/*
 * Bytes that each Java thread allocates, while an observer needs them (live_control.h, LIVE_NEED_ALLOCATED). They are
 * the JVM's own figures. The thread "Heddle" (core/agent.h) reads them every ALLOCATIONS_MS, and each thread reads its
 * own at its end. Nothing is loaded or asked before an observer needs them. A carrier's figure includes its virtual
 * threads.
 *
 * The JVM keeps the figures by Thread.getId, the file `allocated` by the thread's number in the trace.
 */
#ifndef HEDDLE_JVMTI_AGENT_ALLOCATIONS_H
#define HEDDLE_JVMTI_AGENT_ALLOCATIONS_H

#include <jvmti.h>
#include <stdint.h>

#define ALLOCATIONS_MS 100u

/* Offers the count to observers. If the JVM turns out to have none, the offer is taken back with a message. Before the
 * session is opened, which informs observers. */
void allocations_offer(void);
/* Makes the file; without room for it, the offer is taken back with a message. The session is open. */
void allocations_open(void);
/* Begins to watch for observers. In the live phase. */
void allocations_begin(jvmtiEnv *jvmti, JNIEnv *jni);
/* Reads the figures for the last time. */
void allocations_end(JNIEnv *jni);

/* The calling thread, with this Thread.getId, begins to record; is about to end, and still records. */
void allocations_thread_begin(JNIEnv *jni, uint64_t id);
void allocations_thread_end(JNIEnv *jni);

#endif
