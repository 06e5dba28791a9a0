#include "analyzer/commands/process_operand.h"

#include "analyzer/options/values.h"

#include <getopt.h>

int process_operand(char **argv, pid_t *pid)
{
  uint64_t number;
  if (!value_number(argv[optind], 1, INT32_MAX, &number))
    return command_usage(argv[0], "%s is no process id", argv[optind]);
  *pid = (pid_t)number;
  return -1;
}
