/*
 * Parallel runtimes that the agent knows: tables of (class, method, what it means). Classes are woven while they are
 * loaded (jvmti-agent/weaver/), and what a runtime does is recorded as OpenMP's records (common/raw_trace.h).
 *
 * The agent asks for runtimes_capabilities, calls runtimes_start once when the VM is initialized, before the program's
 * classes are loaded, and hands on the event ClassFileLoadHook, which runtimes_start switches on.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_RUNTIMES_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_RUNTIMES_H

#include <stdbool.h>

#include <jvmti.h>

/* Adds what is needed to what the agent asks for. */
void runtimes_capabilities(jvmtiCapabilities *capabilities);

/* False: nothing will be woven (the reason was said). */
bool runtimes_start(jvmtiEnv *jvmti, JNIEnv *jni);

/* The event ClassFileLoadHook; any thread. */
void JNICALL runtimes_on_class(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader, const char *name,
                               jobject domain, jint size, const unsigned char *bytes, jint *new_size,
                               unsigned char **new_bytes);

/* The calling thread ends. */
void runtimes_thread_end(void);

/* Whether a thread belongs to a pool that executes parallel regions. */
bool runtimes_is_worker(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

#endif
