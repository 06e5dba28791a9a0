#include "jvmti-agent/core/call_trace.h"

#include <dlfcn.h>
#include <string.h>

call_trace_function *call_trace_find(void)
{
  call_trace_function *function;
  void *found = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
  memcpy(&function, &found, sizeof found);
  return function;
}
