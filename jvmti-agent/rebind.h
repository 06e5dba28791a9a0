/* For a JVM that runs already: gives it our natives in place of those that it bound long ago. */
#ifndef HEDDLE_JVMTI_AGENT_REBIND_H
#define HEDDLE_JVMTI_AGENT_REBIND_H

#include <jvmti.h>

/*
 * In the live phase, once. What could not be bound again remains unseen: agent.sees_wait tells of Object.wait. Other
 * threads may run, wait and bind natives of their own meanwhile.
 */
void natives_rebind(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
