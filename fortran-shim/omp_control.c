/*
 * omp_control_tool, which libgomp lacks before gcc 16. A program that uses it and is to run without this library
 * declares it weak.
 */
#include "fortran-shim/provider.h"

enum { NO_TOOL = -2, NO_CALLBACK = -1 };

static int control(int command, int modifier, void *argument, const void *code)
{
  if (!provider_is_on())
    return NO_TOOL;
  (void)current_task();
  return tool.control_tool ? tool.control_tool((uint64_t)command, (uint64_t)modifier, argument, code) : NO_CALLBACK;
}

int omp_control_tool(int command, int modifier, void *argument)
{
  return control(command, modifier, argument, CALLER);
}

int omp_control_tool_(const int *command, const int *modifier)
{
  return control(*command, *modifier, NULL, CALLER);
}
