#include "analyzer/commands/switches.h"

#include "analyzer/options/command.h"

#include <stdlib.h>
#include <string.h>

void switches_end(struct switches *switches, const char *command)
{
  int error = switches->events ? kernel_events_end(switches->events) : 0;
  if (error != 0)
    command_error(command, "%s: cannot be written: %s: when threads had a processor is not known from then on",
                  switches->directory, strerror(error));
  free(switches->directory);
}
