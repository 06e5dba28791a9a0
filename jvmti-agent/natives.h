/*
 * Yields of the calling thread. Threads that spin yield a hundred thousand times a second: consecutive ones, with no
 * other record between and no more than 100 us apart, are one RAW_SPIN that grows where it stands.
 */
#ifndef HEDDLE_JVMTI_AGENT_NATIVES_H
#define HEDDLE_JVMTI_AGENT_NATIVES_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/* One yield, from `begin` (ticks) to now. */
void spin_add(JNIEnv *jni, uint64_t begin);

/* The thread begins in another recording. */
void spin_forget(void);

/*
 * Native methods of the JDK by which threads wait and wake each other, and which the JVM does not report to agents:
 * Unsafe.park and unpark, Object.wait, notify and notifyAll, Thread.start, sleep, yield, interrupt, setName. When the
 * JVM binds one of them, it gets ours, which records and calls the JVM's.
 */

/* Callback: gives the JVM ours. In all phases, also before names can be read. */
void JNICALL natives_on_bind(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method, void *address,
                             void **new_address);

/*
 * The same for natives that a class registers: puts ours into `method`. False: it is none of these methods.
 */
bool natives_replace(JNINativeMethod *method);
/* Those of java.lang.Object, as ours, under all names that they have in some JDK. Returns how many. */
jint natives_of_object(JNINativeMethod *methods, jint room);

/* For a JVM that runs already: replaces natives that it has bound by ours. */

/*
 * In the live phase, once. Methods that could not be bound again are not recorded; agent.sees_wait is set if
 * Object.wait was. Other threads may run, wait and bind natives of their own meanwhile.
 */
void natives_rebind(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
