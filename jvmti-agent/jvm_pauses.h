/* Pauses of all threads for garbage collection, as the JVM reports them. Callbacks, on a thread of the JVM's own. */
#ifndef HEDDLE_JVMTI_AGENT_JVM_PAUSES_H
#define HEDDLE_JVMTI_AGENT_JVM_PAUSES_H

#include <jni.h>
#include <jvmti.h>

void JNICALL gc_on_start(jvmtiEnv *jvmti);
void JNICALL gc_on_finish(jvmtiEnv *jvmti);

/*
 * What the JVM alone knows of its stops: for how long it held all threads at a safepoint that was no collection, and
 * for how long a thread that allocated waited for the collector (ZGC). There are no events of these. The JVM writes
 * them into a log of its own in the process' directory (RAW_JVM_LOG_FILE), as the command VM.log of jcmd has it do;
 * other logs of the user's stay as they are. The converter reads it.
 *
 * A JVM that has no such command, or a disk that is nearly full, gets no log; then these times are RUN as before.
 */

/* In the live phase, the session is open. */
void jvm_log_begin(JNIEnv *jni);
/* Nothing is written any more. */
void jvm_log_end(JNIEnv *jni);

#endif
