/*
 * What classes are woven for, in parts: each runtime that the agent knows, monitors that are held, exact calls. A set
 * of parts is a mask, a bit a part.
 */
#ifndef HEDDLE_JVMTI_AGENT_CLASSES_H
#define HEDDLE_JVMTI_AGENT_CLASSES_H

#include "jvmti-agent/core/weaving.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/weaver/class_output.h"

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

enum { PART_HOLDS = RUNTIMES_KNOWN, PART_CALLS, PARTS };
#define PARTS_ALL ((1u << PARTS) - 1)

/* Before anything else here. */
void parts_begin(void);

/* LIVE_NEED_...: a part is of use while one of them is needed. */
uint32_t parts_needs(unsigned part);
/* The parts that are of use while these are needed. */
uint32_t parts_of_use(uint32_t needs);

/* Classes lost the hooks of a part. */
void parts_gone(unsigned part);

/* The class with the hooks of class->part; bytes NULL: it has nothing for them. The caller frees them. One thread at a
 * time. */
struct buffer parts_weave(struct weaving *class, const uint8_t *bytes, size_t size);

/*
 * Which parts of the hooks classes have now. They follow what is needed (common/recorder/needs.h): hooks that are
 * needed come at once; when nobody has needed them for a while, classes become what they were. A method that a thread
 * is in stays what it is to its end, with hooks or without.
 */

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

/* Classes that are woven while they are loaded: the event, and the class that woven code calls. */

/*
 * Once, when the VM is initialized, before the program's classes are loaded: begins to weave, if the options want
 * anything woven. Where the JVM does not let it, that is said.
 */
void classes_start(jvmtiEnv *jvmti, JNIEnv *jni);

/* When recording ends before the VM does: classes are woven no more, and those that are become what they were. */
void classes_stop(jvmtiEnv *jvmti, JNIEnv *jni);

/* The event ClassFileLoadHook, which classes_start switches on; any thread. */
void JNICALL classes_on_load(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader, const char *name,
                             jobject domain, jint size, const unsigned char *bytes, jint *new_size,
                             unsigned char **new_bytes);

#endif
