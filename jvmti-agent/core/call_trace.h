/*
 * AsyncGetCallTrace of HotSpot: walks the stack of the calling thread, also in a signal handler. No header declares it,
 * but it has not changed since JDK 5. Methods are jmethodID; NULL: the method has no id yet. The JVM refuses unless the
 * event ClassLoad is enabled.
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
  int32_t count; /* number of frames, innermost first; 0 or negative: none, and the reason */
  struct call_frame *frames;
};

typedef void call_trace_function(struct call_trace *trace, int32_t most, void *ucontext);

/* Returns the function; NULL: this JVM does not have it. */
call_trace_function *call_trace_find(void);

#endif
