/*
 * What follows the needs (common/recorder/measured_groups.h) while the program runs: events of the JVM (events.h),
 * hooks in classes (woven.h). The thread "Heddle" (core/watch.h) switches them.
 */
#ifndef HEDDLE_JVMTI_AGENT_NEEDED_H
#define HEDDLE_JVMTI_AGENT_NEEDED_H

#include <jvmti.h>

/* From now on these follow needs, if needs can change. In the live phase. */
void needed_follow(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
