#include "analyzer/command/process_operand.h"

#include "analyzer/command/values.h"

#include <getopt.h>

int process_take(const struct command *command, void *own, int argc, char **argv, pid_t *pid)
{
  uint64_t number;
  int status = command_take(command, (void *[OPTION_SETS]){own}, argc, argv);
  if (status >= 0)
    return status;
  if (!value_number(argv[optind], 1, INT32_MAX, &number))
    return command_usage(argv[0], "%s is no process id", argv[optind]);
  *pid = (pid_t)number;
  return -1;
}
