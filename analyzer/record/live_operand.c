#include "analyzer/record/live_operand.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/command/values.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

int live_take(const struct command *command, void *own, int argc, char **argv, struct live_process *process)
{
  uint64_t number;
  struct error error;
  int status = command_take(command, (void *[OPTION_SETS]){own}, argc, argv);
  if (status >= 0)
    return status;
  if (!value_number(argv[optind], 1, INT32_MAX, &number))
    return command_usage(argv[0], "%s is no process id", argv[optind]);
  if (live_process_find(argv[optind], process, &error))
    return -1;
  command_error(command->name, "%s", error.message);
  return EXIT_FAULT;
}

char *live_operand_name(const struct live_process *process)
{
  char path[48], name[64] = "?", *text = NULL;
  snprintf(path, sizeof path, "/proc/%ld/comm", process->pid);
  FILE *file = fopen(path, "re");
  if (file && !fgets(name, sizeof name, file))
    strcpy(name, "?");
  if (file)
    fclose(file);
  name[strcspn(name, "\n")] = '\0';
  char *escaped = escape_text(name);
  if (!escaped || asprintf(&text, "%s [%ld]", escaped, process->pid) < 0)
    text = NULL;
  free(escaped);
  return text;
}
