/* Pauses of all threads for garbage collection, as the JVM reports them. Callbacks, on a thread of the JVM's own. */
#ifndef HEDDLE_JVMTI_AGENT_GC_H
#define HEDDLE_JVMTI_AGENT_GC_H

#include <jvmti.h>

void JNICALL gc_on_start(jvmtiEnv *jvmti);
void JNICALL gc_on_finish(jvmtiEnv *jvmti);

#endif
