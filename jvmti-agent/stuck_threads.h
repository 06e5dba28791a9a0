/*
 * Waits that may never end: deadlocks of platform threads and of virtual threads.
 *
 * A program that hangs is killed sooner or later, and then it cannot be asked. Twice a second the thread "Heddle"
 * (core/agent.h) looks at all platform threads. It may meet the same wait twice, for a monitor, for a lock of
 * java.util.concurrent or for a thread's end. Then it writes a line `stuck:` (raw_trace.h) to the process file, with
 * the owner and where both threads are. Nothing happens when a wait begins.
 *
 * Waits of virtual threads that last (virtual_threads.h) are followed to the owner, to what the owner waits for, and so
 * on. Only a circle is reported, because there may be very many such waits. A wait is followed again after LOOK_AGAIN
 * ms, then after twice as long each time. The JVM does not report the virtual thread that holds a monitor. It does
 * report the monitors that a virtual thread holds, so each thread in a lasting wait is asked once. A thread that does
 * not wait is in no deadlock.
 */
#ifndef HEDDLE_JVMTI_AGENT_STUCK_THREADS_H
#define HEDDLE_JVMTI_AGENT_STUCK_THREADS_H

#include <jvmti.h>

/* Begins to look. In the live phase. Does nothing if the JVM refuses. */
void stuck_begin(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
