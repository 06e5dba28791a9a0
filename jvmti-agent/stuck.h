/*
 * Tells the long waits that may never end: what a thread waits for, who has it, and where both are. A run that hangs is
 * killed sooner or later, and then nobody can be asked. A thread of the agent's looks at all threads twice a second,
 * and tells once of each wait that it meets twice: for a monitor, for a lock of java.util.concurrent with an owner, and
 * for a thread's end. So nothing is done when a wait begins. Each is a line `stuck:` of the process file (raw_trace.h).
 */
#ifndef HEDDLE_JVMTI_AGENT_STUCK_H
#define HEDDLE_JVMTI_AGENT_STUCK_H

#include <jvmti.h>

/* In the live phase. Nothing happens if the JVM refuses. */
void stuck_begin(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
