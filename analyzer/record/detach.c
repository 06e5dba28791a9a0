#include "analyzer/record/detach.h"

#include "analyzer/command/process_operand.h"
#include "analyzer/command/values.h"
#include "analyzer/record/jvm/attach.h"
#include "analyzer/record/launch/environment.h"
#include "analyzer/record/record_convert.h"

#include <stdio.h>
#include <stdlib.h>

/* After the recording: makes the archive, or prints how to make it. */
static bool detach_finish(const char *command, const char *trace, const struct detach_options *options)
{
  struct record_conversion conversion = {
      .command = command, .path = trace, .shown = trace, .keep_raw = options->keep_raw};
  if (!options->no_convert)
    return record_convert(&conversion);
  record_say_next("the raw trace", trace, "convert");
  return true;
}

bool detach_jvm(const char *command, pid_t pid, const struct detach_options *options)
{
  char message[JVM_ATTACH_MESSAGE];
  char *trace = jvm_attach_trace(pid), *agent = sibling_path(SIBLING_AGENT);
  bool good = false;
  if (!trace)
    command_error(command, "process %d is not being recorded, or belongs to another user", (int)pid);
  else if (!agent || !jvm_attach_load(pid, agent, "detach", message))
    command_error(command, "%s", agent ? message : "the path of heddle itself is unknown");
  else
    good = detach_finish(command, trace, options);
  free(trace);
  free(agent);
  return good;
}

static int detach_run(const struct command *command, int argc, char **argv)
{
  struct detach_options options = {0};
  pid_t pid;
  int status = process_take(command, &options, argc, argv, &pid);
  if (status >= 0)
    return status;
  return detach_jvm(argv[0], pid, &options) ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option detach_own_options[] = {
    {.name = "keep-raw",
     .help = "keep the raw trace beside the archive",
     .take = option_flag,
     .at = offsetof(struct detach_options, keep_raw)},
    {.name = "no-convert",
     .help = "keep the raw trace only; `heddle convert DIR` makes the archive later",
     .take = option_flag,
     .at = offsetof(struct detach_options, no_convert)},
    {.name = NULL}};

const struct command command_detach = {
    .name = "detach",
    .group = COMMAND_RECORD,
    .summary = "ends the recording of a running JVM, makes the OTF2 archive",
    .synopsis = "[OPTION]... PID",
    .about = "Ends the recording of the JVM PID, which `heddle attach` began, and makes the archive.\n",
    PROCESS_OPERAND,
    .options = {{.list = detach_own_options}},
    .run = detach_run,
};
