#include "analyzer/trace/error.h"

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
