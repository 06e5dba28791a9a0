#include "analyzer/record/live_snapshot.h"

#include "analyzer/command/command.h"
#include "analyzer/record/launch/environment.h"
#include "analyzer/record/launch/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool live_snapshot(const char *command, const struct live_process *process, char *directory)
{
  char *program = sibling_path(SIBLING_CONVERT);
  char quiet[] = "--quiet", live[] = "--force-live", keep[] = "--keep-raw", output[] = "--output";
  char *arguments[] = {program, quiet, live, keep, output, directory, process->trace, NULL};
  struct launch_result result = {.started = false};
  if (program)
    result = launch_run(arguments, environ, NULL);
  if (!result.started)
    command_error(command, "%s: cannot start the converter: %s", program ? program : SIBLING_CONVERT,
                  strerror(result.error));
  else if (result.status != 0)
    command_error(command, "the conversion of %s failed; the program continues", process->trace);
  free(program);
  return result.started && result.status == 0;
}
