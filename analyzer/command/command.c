#include "analyzer/command/command.h"

#include "analyzer/command/print/escape.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_error(const char *command, const char *format, va_list arguments, bool usage)
{
  char *message = NULL;
  if (vasprintf(&message, format, arguments) < 0)
    message = NULL;
  char *escaped = message ? escape_text(message) : NULL, *named = escape_text(command);
  fprintf(stderr, "heddle %s: %s", named ? named : "", escaped ? escaped : "out of memory");
  free(named);
  if (usage)
    fprintf(stderr, "; see `heddle %s --help`", command);
  fputc('\n', stderr);
  free(escaped);
  free(message);
}

void command_error(const char *command, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  put_error(command, format, arguments, false);
  va_end(arguments);
}

void command_failed(const char *command, const char *message)
{
  if (*message)
    command_error(command, "%s", message);
}

int command_usage(const char *command, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  put_error(command, format, arguments, true);
  va_end(arguments);
  return EXIT_USAGE;
}

int command_printed(void)
{
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout))
    return EXIT_DONE;
  fprintf(stderr, "heddle: cannot write the output: %s\n", errno ? strerror(errno) : "write error");
  return EXIT_FAULT;
}
