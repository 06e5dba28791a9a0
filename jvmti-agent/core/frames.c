#include "jvmti-agent/core/frames.h"

#include "jvmti-agent/core/call_trace.h"
#include "jvmti-agent/core/thread_self.h"

#include <ucontext.h>

static call_trace_function *get_call_trace; /* in less than half of the time that GetStackTrace takes */

void frames_open(void)
{
  get_call_trace = call_trace_find();
}

/* 0: not this way. */
static jint read_own(JNIEnv *jni, jint most, jvmtiFrameInfo *frames)
{
  /* Registers of a thread that runs Java; ours does not, and the JVM knows where it left Java. */
  static ucontext_t no_registers;
  struct call_frame found[FRAMES_MOST];
  struct call_trace trace = {.jni = jni, .frames = found};
  get_call_trace(&trace, most, &no_registers);
  for (jint i = 0; i < trace.count; i++) {
    if (!found[i].method)
      return 0; /* the method has no id yet: GetStackTrace gives it one */
    frames[i] =
        (jvmtiFrameInfo){.method = found[i].method, .location = found[i].bytecode >= 0 ? found[i].bytecode : -1};
  }
  return trace.count == most ? most : 0; /* fewer: the stack ends there, or could not be walked further */
}

jint frames_read(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jint most, jvmtiFrameInfo *frames)
{
  jint count = 0;
  if (!thread && get_call_trace && !thread_self.mounted && (count = read_own(jni, most, frames)) > 0)
    return count;
  return (*jvmti)->GetStackTrace(jvmti, thread, 0, most, frames, &count) == JVMTI_ERROR_NONE ? count : 0;
}

void JNICALL frames_on_class_load(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class)
{
  (void)jvmti, (void)jni, (void)thread, (void)class;
}
