/* Frames of a thread's stack, innermost first. The rules of places.h hold here, too. */
#ifndef HEDDLE_JVMTI_AGENT_CORE_PLACES_H
#define HEDDLE_JVMTI_AGENT_CORE_PLACES_H

#include "common/raw/raw_trace.h"

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#define FRAMES_MOST 48

/*
 * Lets the calling thread's own frames be read by the JVM's AsyncGetCallTrace, where it has it. The event ClassLoad
 * must be enabled then, with a callback; else the JVM refuses, and they are read as all others.
 */
void frames_open(void);

/* The event ClassLoad; does nothing. */
void JNICALL frames_on_class_load(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class);

/* Reads up to `most` frames of a thread, NULL: the calling one. Returns how many; 0 also where they can't be read. */
jint frames_read(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jint most, jvmtiFrameInfo *frames);

/*
 * Numbers for places, which are where Java code is. A number is assigned once; its `place:` line (raw_trace.h) is in
 * the process file before the number is returned.
 *
 * Any thread that runs Java or native code may call anything here in the live phase, never a callback of the garbage
 * collector. The table grows with the places, up to a limit, and never shrinks. All functions return 0 ("unknown") if
 * there is no place, at the limit, and if the process file cannot be written.
 */

/* Once, before anything else here, in any phase. chain: frames that a place consists of, 1 or more. */
bool places_open(unsigned chain);

/*
 * The `code` word of the method `depth` frames above the one that runs now (0: that one; native methods count). Nothing
 * is skipped: for hooks of methods that know who their caller is.
 */
uint64_t place_of_caller(jvmtiEnv *jvmti, JNIEnv *jni, int depth);

/*
 * A place that is known by its names: class as java.util.HashMap; file NULL and line 0: unknown. Each call makes a
 * new place: keep it.
 */
uint64_t place_by_name(const char *class_name, const char *method, const char *file, unsigned line);

/* A place in a method; line 0: unknown. Each call makes a new place: keep it. 0 also if the method's class is gone. */
uint64_t place_of_method(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method, unsigned line);
/* The source line of an instruction of a method; 0: unknown, or the method is native. */
unsigned place_line(jvmtiEnv *jvmti, jmethodID method, jlocation location);

/* Whether a class is the JDK's, by its name as java/util/HashMap or java.util.HashMap. */
bool place_is_in_jdk(const char *class_name);

/* The calling thread's stack. */
#define PLACES_FRAMES FRAMES_MOST
struct place_stack {
  jvmtiFrameInfo frames[PLACES_FRAMES];
  int count;
  int chosen;      /* the frame that is the place; count: there is none */
  bool in_program; /* it is one of the program's, or where an executor's thread waits for work */
  bool in_join;    /* it waits in Thread.join */
  bool in_sleep;   /* a virtual thread: it sleeps */
};

/*
 * Reads the stack and says where it is: at the code that called lock(), await(), take(), ..., in the program's own
 * classes where there are any. A place that was never seen before is 0 here; place_of_stack names it, which takes
 * longer and is for after the wait. use: what it is asked for, enum raw_block or 0 for all else; as many frames are
 * read as the thread needed last for the same.
 */
#define PLACE_USES (RAW_BLOCK_KIND + 1)
uint64_t place_if_known(jvmtiEnv *jvmti, JNIEnv *jni, unsigned use, struct place_stack *stack);
uint64_t place_of_stack(jvmtiEnv *jvmti, JNIEnv *jni, const struct place_stack *stack);
/* Both at once. */
uint64_t place_here(jvmtiEnv *jvmti, JNIEnv *jni, unsigned use);
/* ... of the program alone; 0 also where the innermost frames are the JDK's and no other one is among those read. */
uint64_t place_in_program(jvmtiEnv *jvmti, JNIEnv *jni, unsigned use);
/* The same for another thread, which is stopped meanwhile; *in_join (may be NULL): whether it is in Thread.join. */
uint64_t place_of_thread(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, bool *in_join);
/*
 * What pins the calling virtual thread to its carrier: the innermost native method that called Java, or the innermost
 * class initializer. The native method that runs now is none. 0: nothing of the kind is on the stack.
 */
uint64_t place_that_pins(jvmtiEnv *jvmti, JNIEnv *jni);

/* The calling thread's next wait is looked at as if it had had none before: places may have more frames now. */
void places_forget_last(void);

/* Classes have these hooks now: a number below PLACES_CODE_CHANGES, which stands for while they change. The same place
 * in the source has other locations then. Any thread. */
#define PLACES_CODE_CHANGES 0x2000u
void places_follow_code(uint32_t state);

#endif
