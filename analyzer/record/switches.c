#include "analyzer/record/switches.h"

#include "analyzer/command/command.h"

#include <inttypes.h>
#include <string.h>

void switches_end(struct switches *switches, const char *command)
{
  uint64_t left_out = 0;
  int error = switches->events ? kernel_events_end(switches->events, &left_out) : 0;
  const char *unknown = switches->samples_alone ? "which code ran" : "when threads had a processor";
  if (error != 0)
    command_error(command, "%s: cannot be written: %s: %s is not known from then on", switches->shown, strerror(error),
                  unknown);
  else if (left_out > 0)
    command_error(command, "%s: the log is full: %s is not known from then on (%" PRIu64 " events)", switches->shown,
                  unknown, left_out);
}
