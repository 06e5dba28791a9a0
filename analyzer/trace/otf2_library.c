#include "analyzer/trace/otf2_library.h"

#include <otf2/OTF2_ErrorCodes.h>
#include <stdarg.h>
#include <stddef.h>

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

void otf2_library_quiet(void)
{
  OTF2_Error_RegisterCallback(ignore_message, NULL);
}
