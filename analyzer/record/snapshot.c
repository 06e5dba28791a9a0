#include "analyzer/command/values.h"
#include "analyzer/record/live_operand.h"
#include "analyzer/record/live_snapshot.h"
#include "analyzer/record/record_convert.h"
#include "analyzer/record/record_directory.h"

#include <stdlib.h>

struct snapshot_own_options {
  const char *directory;
  bool force;
};

static int snapshot_run(const struct command *command, int argc, char **argv)
{
  struct snapshot_own_options options = {0};
  struct live_process process;
  struct record_directory directory = {.command = command->name, .fd = -1};
  int status = live_take(command, &options, argc, argv, &process);
  if (status >= 0)
    return status;
  char *name = live_operand_name(&process);
  bool good = name && record_directory_make(&directory, options.directory, "snapshot", options.force);
  if (good && !(good = live_snapshot(command->name, &process, directory.path)))
    record_directory_drop(&directory);
  if (good)
    record_say_next("the snapshot", directory.shown, "view");
  record_directory_free(&directory);
  free(name);
  live_process_free(&process);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option snapshot_own_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .help = "the snapshot's directory (default: heddle-snapshot-START-PID here)",
     .take = option_text,
     .at = offsetof(struct snapshot_own_options, directory)},
    {.name = "force",
     .letter = 'f',
     .help = "replace a trace that DIR already holds",
     .take = option_flag,
     .at = offsetof(struct snapshot_own_options, force)},
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
    .options = {{.list = snapshot_own_options}},
    .run = snapshot_run,
};
