/*
 * Names for what records only number: places (where Java code is) and classes (of what it waits for). A number is given
 * once; its line is in the process file before the number is returned (raw_trace.h: `place:`, `class:`).
 *
 * Any thread that runs Java or native code may call anything here, in the live phase; never a callback of the garbage
 * collector. No number is ever taken back: the tables grow with the places and classes that were seen, up to a limit.
 * All functions return 0 ("not known") where there is nothing to name, at the limit, and where the process file could
 * not be written.
 */
#ifndef HEDDLE_JVMTI_AGENT_PLACES_H
#define HEDDLE_JVMTI_AGENT_PLACES_H

#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Once, in the live phase, before anything else here. chain: frames that a place consists of, 1 or more. */
bool places_open(jvmtiEnv *jvmti, JNIEnv *jni, unsigned chain);

/*
 * The `code` word of the method `depth` frames above the one that runs now (0: that one; native methods count). Nothing
 * is skipped. For hooks of methods whose caller is what the user wrote.
 */
uint64_t place_of_caller(jvmtiEnv *jvmti, JNIEnv *jni, int depth);

/* The same for a place that is known by its names: class as java.util.HashMap; file NULL and line 0: not known. */
uint64_t place_by_name(const char *class_name, const char *method, const char *file, unsigned line);

/* The calling thread's stack as it is where it waits. */
#define PLACES_FRAMES 48
struct place_stack {
  jvmtiFrameInfo frames[PLACES_FRAMES];
  int count;
  int chosen; /* the frame that is the place */
};

/*
 * Reads the stack and says where it is: at the code that called lock(), await(), take(), ..., in the program's own
 * classes where there are any. Without names: a place that was never seen before is 0 here, and is named by
 * place_of_stack, which takes longer and is for after the wait.
 */
uint64_t place_if_known(jvmtiEnv *jvmti, JNIEnv *jni, struct place_stack *stack);
uint64_t place_of_stack(jvmtiEnv *jvmti, JNIEnv *jni, const struct place_stack *stack);
/* Both at once. */
uint64_t place_here(jvmtiEnv *jvmti, JNIEnv *jni);

/* The id of an object's class. */
uint32_t class_id_of(jvmtiEnv *jvmti, JNIEnv *jni, jobject object);
/* An object as records have it: class id << 32 | identity hash; 0 for null. */
uint64_t object_of(jvmtiEnv *jvmti, JNIEnv *jni, jobject object);

#endif
