/*
 * omp_control_tool, which libgomp lacks before gcc 16. A program that uses it and is to run without this library
 * declares it weak. Where another runtime has it (LLVM's, whose programs may have this library preloaded), that one is
 * called, from the end of the function, so that it sees the program's own return address.
 */
#include "fortran-shim/provider.h"

#include <dlfcn.h>

enum { NO_TOOL = -2, NO_CALLBACK = -1 };

static int control(int command, int modifier, void *argument, const void *code)
{
  if (!provider_is_on())
    return NO_TOOL;
  (void)current_task();
  return IS_REPORTED(control_tool) ? tool.control_tool((uint64_t)command, (uint64_t)modifier, argument, code)
                                   : NO_CALLBACK;
}

int omp_control_tool(int command, int modifier, void *argument)
{
  int (*next)(int, int, void *) = provider_is_on() ? NULL : dlsym(RTLD_NEXT, "omp_control_tool");
  if (next)
    return next(command, modifier, argument);
  return control(command, modifier, argument, CALLER);
}

int omp_control_tool_(const int *command, const int *modifier)
{
  int (*next)(const int *, const int *) = provider_is_on() ? NULL : dlsym(RTLD_NEXT, "omp_control_tool_");
  if (next)
    return next(command, modifier);
  return control(*command, *modifier, NULL, CALLER);
}
