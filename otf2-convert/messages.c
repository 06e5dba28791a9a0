#include "otf2-convert/messages.h"

#include "otf2-convert/text_fields.h"

#include <stdarg.h>
#include <stdio.h>

static bool quiet_now;

void message_set_quiet(bool quiet)
{
  quiet_now = quiet;
}

bool message_is_quiet(void)
{
  return quiet_now;
}

static void print_message(const char *format, va_list arguments)
{
  char plain[4096], line[4 * sizeof plain];
  vsnprintf(plain, sizeof plain, format, arguments);
  escape_control(plain, line, sizeof line);
  fprintf(stderr, "heddle-convert: %s\n", line);
}

void message_error(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print_message(format, arguments);
  va_end(arguments);
}

void message_note(const char *format, ...)
{
  if (quiet_now)
    return;
  va_list arguments;
  va_start(arguments, format);
  print_message(format, arguments);
  va_end(arguments);
}
