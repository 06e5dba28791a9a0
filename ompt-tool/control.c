#include "ompt-tool/callbacks.h"

#include "common/recorder/recording.h"
#include "ompt-tool/profiled.h"

#include <omp.h>

/* Returns what omp_control_tool returns to the program: 0 done, 1 (omp_control_tool_ignored) not a command of ours. */
static int obey(uint64_t command)
{
  switch (command) {
  case omp_control_tool_start:
    return omp_control_tool_success;
  case omp_control_tool_pause:
    recording_pause();
    return omp_control_tool_success;
  case omp_control_tool_flush:
    recorder_flush();
    return omp_control_tool_success;
  case omp_control_tool_end:
    recording_stop();
    return omp_control_tool_success;
  default:
    return omp_control_tool_ignored;
  }
}

int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code)
{
  (void)argument;
  (void)code;
  if (command == omp_control_tool_start)
    recording_resume();
  recorder_emit3(RAW_CONTROL, 0, command, modifier);
  return obey(command);
}

/* A profile is in its file at any time, so there is nothing to flush. */
int profiled_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code)
{
  (void)modifier;
  (void)argument;
  (void)code;
  if (command == omp_control_tool_start || command == omp_control_tool_pause)
    profile_measure(command == omp_control_tool_start);
  return command == omp_control_tool_flush ? omp_control_tool_success : obey(command);
}

void on_error(ompt_severity_t severity, const char *message, size_t length, const void *code)
{
  (void)message;
  (void)length;
  recorder_emit(RAW_ERROR, severity, code_of(code));
}
