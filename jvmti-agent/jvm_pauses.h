/*
 * Pauses in which the JVM stops threads.
 *
 * Garbage collections are events of JVMTI. Other safepoints, and the time for which an allocating thread waits for the
 * collector (ZGC), have no events. The JVM writes them into a log in the process' directory (RAW_JVM_LOG_FILE), by
 * jcmd's command VM.log; the user's own logs stay as they are. The converter reads the log. If the JVM has no such
 * command, or if the disk is nearly full, there is no log, and these times are RUN.
 */
#ifndef HEDDLE_JVMTI_AGENT_JVM_PAUSES_H
#define HEDDLE_JVMTI_AGENT_JVM_PAUSES_H

#include <jni.h>
#include <jvmti.h>

/* Callbacks of the events GarbageCollectionStart and GarbageCollectionFinish, on a thread of the JVM's own. */
void JNICALL gc_on_start(jvmtiEnv *jvmti);
void JNICALL gc_on_finish(jvmtiEnv *jvmti);

/* Begins the log. In the live phase, while the session is open. */
void jvm_log_begin(JNIEnv *jni);
/* Ends the log. */
void jvm_log_end(JNIEnv *jni);

#endif
