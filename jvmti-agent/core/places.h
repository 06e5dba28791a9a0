/*
 * Numbers for places in Java code. A number is assigned once; its `place:` line (raw_trace.h) is in the process file
 * before the number is returned.
 *
 * Any thread that runs Java or native code may call these functions in the live phase, but no callback of the garbage
 * collector may. The table grows with the places, up to a limit, and never shrinks. All functions return 0 ("unknown")
 * if there is no place, at the limit, and if the process file cannot be written.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_PLACES_H
#define HEDDLE_JVMTI_AGENT_CORE_PLACES_H

#include "common/raw/raw_trace.h"

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/* Makes the table. chain: frames that a place consists of, 1 or more. Once, before anything else here, in any phase. */
bool places_open(unsigned chain);

/* Callback of the event ClassLoad; does nothing. AsyncGetCallTrace refuses to read frames without it. */
void JNICALL frames_on_class_load(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class);

/*
 * Returns the `code` word of the method `depth` frames above the running one (0: that one; native methods count). No
 * frame is skipped: for hooks of methods that know their caller.
 */
uint64_t place_of_caller(jvmtiEnv *jvmti, JNIEnv *jni, int depth);

/*
 * Makes a place by its names: class as java.util.HashMap; file NULL and line 0: unknown. Each call makes a new place,
 * so the caller keeps it.
 */
uint64_t place_by_name(const char *class_name, const char *method, const char *file, unsigned line);

/* Makes a place in a method; line 0: unknown. Each call makes a new place, so the caller keeps it. 0 also if the
 * method's class was unloaded. */
uint64_t place_of_method(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method, unsigned line);
/* Returns the source line of an instruction of a method; 0: unknown, or the method is native. */
unsigned place_line(jvmtiEnv *jvmti, jmethodID method, jlocation location);

/* True if a class is the JDK's, by its name as java/util/HashMap or java.util.HashMap. */
bool place_is_in_jdk(const char *class_name);

/* A thread's stack, innermost frame first. */
#define FRAMES_MOST   48
#define PLACES_FRAMES FRAMES_MOST
struct place_stack {
  jvmtiFrameInfo frames[PLACES_FRAMES];
  int count;
  int chosen;      /* the frame that is the place; count: none is */
  bool in_program; /* that frame is the program's, or waits for work in an executor */
  bool in_join;    /* it waits in Thread.join */
  bool in_sleep;   /* a virtual thread: it sleeps */
};

/*
 * Reads the calling thread's stack and returns its place: the code that called lock(), await(), take(), ..., in the
 * program's own classes if there are any. Returns 0 for a place that was never seen before. place_of_stack makes such a
 * place, which takes longer and is for after the wait. use: the purpose, enum raw_block or 0 for any other; as many
 * frames are read as the thread needed last for the same purpose.
 */
#define PLACE_USES (RAW_BLOCK_KIND + 1)
uint64_t place_if_known(jvmtiEnv *jvmti, JNIEnv *jni, unsigned use, struct place_stack *stack);
uint64_t place_of_stack(jvmtiEnv *jvmti, JNIEnv *jni, const struct place_stack *stack);
/* Both at once. */
uint64_t place_here(jvmtiEnv *jvmti, JNIEnv *jni, unsigned use);
/* Both, for places in the program only: 0 also if all frames that were read are the JDK's. */
uint64_t place_in_program(jvmtiEnv *jvmti, JNIEnv *jni, unsigned use);
/* Both, for another thread, which is stopped meanwhile. *in_join (may be NULL): it is in Thread.join. */
uint64_t place_of_thread(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, bool *in_join);
/*
 * Returns what pins the calling virtual thread to its carrier: the innermost native method that called Java, or the
 * innermost class initializer. The native method that runs now does not count. 0: neither is on the stack.
 */
uint64_t place_that_pins(jvmtiEnv *jvmti, JNIEnv *jni);

/* Treats the calling thread's next wait as its first one: places may have more frames now. */
void places_forget_last(void);

/* Informs places about the hooks of classes: a number below PLACES_CODE_CHANGES, or that one while hooks change. The
 * same source line has other bytecode locations afterwards. Any thread. */
#define PLACES_CODE_CHANGES 0x2000u
void places_follow_code(uint32_t state);

#endif
