/*
 * Native methods of the JDK by which threads wait and wake each other, and which the JVM does not report to agents:
 * Unsafe.park and unpark, Object.wait, notify and notifyAll, Thread.start, sleep, yield, interrupt, setName. When the
 * JVM binds one of them, it gets ours, which records and calls the JVM's.
 */
#ifndef HEDDLE_JVMTI_AGENT_NATIVES_H
#define HEDDLE_JVMTI_AGENT_NATIVES_H

#include <jvmti.h>
#include <stdbool.h>

/* Callback: gives the JVM ours. In all phases, also before names can be read. */
void JNICALL natives_on_bind(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method, void *address,
                             void **new_address);

/*
 * The same for natives that a class registers: puts ours into `method`. False: it is none of these methods.
 */
bool natives_replace(JNINativeMethod *method);
/* Those of java.lang.Object, as ours, under all names that they have in some JDK. Returns how many. */
jint natives_of_object(JNINativeMethod *methods, jint room);

#endif
