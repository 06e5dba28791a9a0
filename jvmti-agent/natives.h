/*
 * Native methods of the JDK by which threads wait for each other and wake each other, and which JVMTI does not report.
 * They are Unsafe.park and unpark, Object.wait, notify and notifyAll, Thread.start, sleep, yield, interrupt, setName.
 * The agent puts its own functions in their place. They record the call and call the JVM's function.
 *
 * A thread that spins may yield 100,000 times a second. Yields at most 100 us apart, without another record between
 * them, are one RAW_SPIN, which grows where it stands.
 */
#ifndef HEDDLE_JVMTI_AGENT_NATIVES_H
#define HEDDLE_JVMTI_AGENT_NATIVES_H

#include <jvmti.h>

/* Callback of the event NativeMethodBind: gives the JVM the agent's function. In all phases, also before the JVM can
 * be asked for names. */
void JNICALL natives_on_bind(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method, void *address,
                             void **new_address);

/*
 * Replaces natives that a running JVM has bound before. Sets agent.sees_wait if Object.wait is replaced. Methods that
 * cannot be bound again are not recorded. In the live phase, once; other threads may run, wait and bind natives.
 */
void natives_rebind(jvmtiEnv *jvmti, JNIEnv *jni);

/* Begins a new sequence of yields: the calling thread belongs to another recording now. */
void spin_forget(void);

#endif
