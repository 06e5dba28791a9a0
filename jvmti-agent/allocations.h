/*
 * How many bytes each Java thread allocates, while an observer needs it (live_control.h, LIVE_NEED_ALLOCATED): the
 * JVM's own figure, which it has of each thread anyway. The thread "Heddle" (core/watch.h) reads it every
 * ALLOCATIONS_MS, and each thread at its end. Nothing is loaded or asked before an observer needs it. The figure of a
 * carrier has what its virtual threads allocate.
 *
 * The JVM has the figure by Thread.getId, the file `allocated` by the thread's number in the trace.
 */
#ifndef HEDDLE_JVMTI_AGENT_ALLOCATIONS_H
#define HEDDLE_JVMTI_AGENT_ALLOCATIONS_H

#include <jvmti.h>
#include <stdint.h>

#define ALLOCATIONS_MS 100u

/* Offers the count to observers; a JVM that turns out to have none takes it back, and says so once. Before the session
 * is opened, which tells observers. */
void allocations_offer(void);
/* Makes the file; without room for it nothing is offered, which is said. The session is open. */
void allocations_open(void);
/* In the live phase. */
void allocations_begin(jvmtiEnv *jvmti, JNIEnv *jni);
/* Reads the figures for the last time. Nothing is counted any more. */
void allocations_end(JNIEnv *jni);

/* The calling thread, with that Thread.getId, begins to record; it is about to end, and still records. */
void allocations_thread_begin(JNIEnv *jni, uint64_t id);
void allocations_thread_end(JNIEnv *jni);

#endif
