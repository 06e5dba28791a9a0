/* For a JVM that runs already: replaces natives that it has bound by ours. */
#ifndef HEDDLE_JVMTI_AGENT_REBIND_H
#define HEDDLE_JVMTI_AGENT_REBIND_H

#include <jvmti.h>

/*
 * In the live phase, once. Methods that could not be bound again are not recorded; agent.sees_wait is set if
 * Object.wait was. Other threads may run, wait and bind natives of their own meanwhile.
 */
void natives_rebind(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
