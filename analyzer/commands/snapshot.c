#include "analyzer/commands/live_operand.h"
#include "analyzer/commands/record_convert.h"
#include "analyzer/commands/record_directory.h"
#include "analyzer/launch/live_request.h"
#include "analyzer/launch/siblings.h"
#include "analyzer/options/values.h"
#include "analyzer/print/escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct own_options {
  const char *directory;
  bool force;
};

/* Converts what the process has recorded so far into the directory. The raw trace stays. */
static bool convert(const char *command, const struct live_process *process, const struct record_directory *directory)
{
  char *program = sibling_path(SIBLING_CONVERT);
  char quiet[] = "--quiet", live[] = "--force-live", keep[] = "--keep-raw", output[] = "--output";
  char *arguments[] = {program, quiet, live, keep, output, directory->path, process->trace, NULL};
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

static int run(const struct command *command, int argc, char **argv)
{
  struct own_options options = {0};
  struct live_process process;
  struct record_directory directory = {.command = command->name};
  int status = live_take(command, &options, argc, argv, &process);
  if (status >= 0)
    return status;
  char *name = live_operand_name(&process);
  bool good = name && record_directory_make(&directory, options.directory, "snapshot", options.force);
  if (good && !(good = convert(command->name, &process, &directory)))
    record_directory_drop(&directory);
  if (good)
    record_say_next("the snapshot", directory.shown, "view");
  record_directory_free(&directory);
  free(name);
  live_process_free(&process);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option own_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .help = "the snapshot's directory (default: heddle-snapshot-START-PID here)",
     .take = option_text,
     .at = offsetof(struct own_options, directory)},
    {.name = "force",
     .letter = 'f',
     .help = "replace a trace that DIR already holds",
     .take = option_flag,
     .at = offsetof(struct own_options, force)},
    {.name = NULL}};

const struct command command_snapshot = {
    .name = "snapshot",
    .group = COMMAND_RECORD,
    .summary = "makes an archive of what a running program has recorded so far",
    .synopsis = "[OPTION]... PID",
    .about = "Makes an archive of what the running process PID, and the other processes of its trace, have recorded so "
             "far.\n"
             "The program goes on, and so does its recording.\n",
    LIVE_OPERAND,
    .options = {{.list = own_options}},
    .run = run,
};
