/*
 * AsyncGetCallTrace of HotSpot, which profilers use: it walks the stack of the calling thread, also in the handler of a
 * signal. It is in no header, but the same since JDK 5. Methods are jmethodID; NULL: nobody asked for the method's id
 * before. The JVM refuses where the event ClassLoad is not enabled.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_CALL_TRACE_H
#define HEDDLE_JVMTI_AGENT_CORE_CALL_TRACE_H

#include <stdint.h>

struct call_frame {
  int32_t bytecode; /* its index; negative in a native method */
  void *method;
};

struct call_trace {
  void *jni;
  int32_t count; /* of frames, innermost first; 0 and negative numbers: none, for some reason */
  struct call_frame *frames;
};

typedef void call_trace_function(struct call_trace *trace, int32_t most, void *ucontext);

/* NULL: this JVM has it not. */
call_trace_function *call_trace_find(void);

#endif
