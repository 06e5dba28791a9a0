/*
 * Which parts of the hooks classes have now. They follow what is needed (common/recorder/measured_groups.h): hooks that
 * are needed come at once; when nobody has needed them for a while, classes become what they were. A method that a
 * thread is in stays what it is to its end, with hooks or without.
 */
#ifndef HEDDLE_JVMTI_AGENT_WOVEN_H
#define HEDDLE_JVMTI_AGENT_WOVEN_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/* Classes that are loaded from now on get the hooks of these parts. False: there is no memory. Once. */
bool woven_begin(uint32_t parts);
/* The parts that classes have now, or are about to have. Any thread. */
uint32_t woven_parts(void);

/*
 * A class was loaded, or redefined (again): there is something to weave in it for the parts `could`, and it has those
 * in `has`. One thread at a time.
 */
void woven_note(const char *name, uint32_t could, uint32_t has, bool again);

/* Has classes follow what is needed: LIVE_NEED_... In the live phase, on one thread. Does nothing before woven_begin.
 */
void woven_follow(jvmtiEnv *jvmti, JNIEnv *jni, uint32_t needs);
/* No class has hooks any more, as far as the JVM allows. After the last woven_follow. */
void woven_end(jvmtiEnv *jvmti, JNIEnv *jni);

/* What is needed here, LIVE_NEED_...: begins to be measured with woven_follow. 0 before woven_begin. */
uint32_t woven_needs(void);
/* How many classes have hooks, by name. */
unsigned woven_classes(void);

#endif
