#include "analyzer/commands/record_convert.h"

#include "analyzer/commands/command.h"
#include "analyzer/commands/record_run.h"
#include "analyzer/commands/siblings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool record_convert(const char *command, const char *path, const char *shown, const char *converter, bool keep_raw)
{
  char *program = converter ? strdup(converter) : sibling_path(SIBLING_CONVERT), *directory = strdup(path);
  char quiet[] = "--quiet", keep[] = "--keep-raw";
  char *arguments[5];
  size_t count = 0;
  arguments[count++] = program;
  arguments[count++] = quiet;
  if (keep_raw)
    arguments[count++] = keep;
  arguments[count++] = directory;
  arguments[count] = NULL;
  struct record_result result = {.started = false};
  if (program && directory)
    result = record_run(arguments, environ);
  if (!result.started)
    command_error(command, "the converter %s cannot be started: %s; the raw trace stays in %s",
                  program ? program : SIBLING_CONVERT, strerror(result.error), shown);
  else if (result.status != 0)
    command_error(command, "the conversion failed; the raw trace stays in %s, try `heddle convert %s`", shown, shown);
  else
    fprintf(stderr, "heddle: the archive is in %s; next: heddle states %s\n", shown, shown);
  free(program);
  free(directory);
  return result.started && result.status == 0;
}
