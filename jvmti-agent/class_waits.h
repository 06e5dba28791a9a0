/*
 * Waits until another thread has initialized a class.
 *
 * JVMTI has no event for them, and such a thread is runnable for it. So the thread "Heddle" (core/agent.h) looks for
 * threads that are runnable, run no native code, and sleep in the kernel. Such a thread is at an instruction that needs
 * a class. If it is met twice there, the initializing thread is looked for. If there is one, the thread "Heddle" writes
 * a line `stuck:` (raw_trace.h) to the process file. Begin and end of the wait are the kernel's (context switches).
 */
#ifndef HEDDLE_JVMTI_AGENT_CLASS_WAITS_H
#define HEDDLE_JVMTI_AGENT_CLASS_WAITS_H

#include <jvmti.h>
#include <stdint.h>

/* The calling thread, with this Thread.getId, begins to record. */
void class_waits_thread_begins(uint64_t id);

/* Begins to look. In the live phase, after stuck_begin(). Does nothing if the JVM refuses. */
void class_waits_begin(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
