#include "analyzer/trace/error.h"

#include <otf2/OTF2_ErrorCodes.h>
#include <stdarg.h>
#include <stdio.h>

bool trace_fail(struct trace_error *error, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return false;
}

static OTF2_ErrorCode ignore_message(void *user, const char *file, uint64_t line, const char *function,
                                     OTF2_ErrorCode code, const char *format, va_list arguments)
{
  (void)user;
  (void)file;
  (void)line;
  (void)function;
  (void)format;
  (void)arguments;
  return code;
}

void trace_quiet_library(void)
{
  OTF2_Error_RegisterCallback(ignore_message, NULL);
}
