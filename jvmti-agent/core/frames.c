#include "jvmti-agent/core/frames.h"

#include "jvmti-agent/core/thread_self.h"

#include <dlfcn.h>
#include <string.h>
#include <ucontext.h>

/*
 * AsyncGetCallTrace of HotSpot, which profilers use: in no header, but the same since JDK 5. It walks the stack of a
 * thread that is in native code in less than half of the time that GetStackTrace takes.
 */
struct call_frame {
  jint bytecode; /* its index; negative in a native method */
  jmethodID method;
};
struct call_trace {
  JNIEnv *jni;
  jint count; /* of frames; 0 and negative numbers: none, for some reason */
  struct call_frame *frames;
};

static void (*get_call_trace)(struct call_trace *, jint most, void *ucontext);

void frames_open(void)
{
  void *found = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
  memcpy(&get_call_trace, &found, sizeof found);
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
