#include "analyzer/commands/command.h"

#include "analyzer/commands/jvm_attach.h"
#include "analyzer/commands/record_convert.h"
#include "analyzer/commands/siblings.h"

#include <stdio.h>
#include <stdlib.h>

static const char help[] = "Usage: heddle detach [OPTION]... PID\n"
                           "Ends the recording of a JVM that `heddle attach` began, and makes the archive.\n\n"
                           "      --keep-raw      keep the raw trace beside the archive\n"
                           "      --no-convert    leave the raw trace; `heddle convert DIR` makes the archive later\n"
                           "  -h, --help          this text\n";

enum { OPTION_KEEP_RAW = OPTION_FIRST_OWN, OPTION_NO_CONVERT };

struct detach_options {
  bool keep_raw, no_convert;
  pid_t pid;
};

static int take_options(int argc, char **argv, struct detach_options *options)
{
  static const struct option list[] = {{"keep-raw", no_argument, NULL, OPTION_KEEP_RAW},
                                       {"no-convert", no_argument, NULL, OPTION_NO_CONVERT},
                                       {"help", no_argument, NULL, 'h'},
                                       {NULL, 0, NULL, 0}};
  int code;
  opterr = 0;
  while ((code = getopt_long(argc, argv, ":h", list, NULL)) != -1)
    switch (code) {
    case OPTION_KEEP_RAW:
      options->keep_raw = true;
      break;
    case OPTION_NO_CONVERT:
      options->no_convert = true;
      break;
    case 'h':
      return command_help(help);
    default:
      return command_bad_option(argv, code);
    }
  return jvm_attach_operand(argc, argv, &options->pid);
}

/* The recording is over. */
static bool finish(const char *trace, const struct detach_options *options)
{
  struct record_conversion conversion = {
      .command = "detach", .path = trace, .shown = trace, .keep_raw = options->keep_raw};
  if (!options->no_convert)
    return record_convert(&conversion);
  record_say_next("the raw trace", trace, "convert");
  return true;
}

int command_detach(int argc, char **argv)
{
  struct detach_options options = {0};
  int status = take_options(argc, argv, &options);
  if (status >= 0)
    return status;
  char message[JVM_ATTACH_MESSAGE];
  char *trace = jvm_attach_trace(options.pid), *agent = sibling_path(SIBLING_AGENT);
  bool good = false;
  if (!trace)
    command_error("detach", "process %d is not being recorded, or belongs to another user", (int)options.pid);
  else if (!agent || !jvm_attach_load(options.pid, agent, "detach", message))
    command_error("detach", "%s", agent ? message : "the path of heddle itself is unknown");
  else
    good = finish(trace, &options);
  free(trace);
  free(agent);
  return good ? EXIT_DONE : EXIT_FAULT;
}
