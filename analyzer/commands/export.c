#include "analyzer/export/export.h"
#include "analyzer/commands/command.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "Usage: heddle export --to FORMAT [OPTION]... DIR\n"
    "Writes a trace for other viewers. DIR is the trace's directory or its .otf2 file.\n\n"
    "  --to FORMAT         paraver: .prv, .pcf and .row, for Paraver\n"
    "                      perfetto: for ui.perfetto.dev and trace_processor\n"
    "                      chrome: JSON, for chrome://tracing and others that read it\n"
    "                      paje: for ViTE and PajeNG\n"
    "                      csv: a row for each state of each thread\n"
    "  -o, --output FILE   where to; - is standard output, but not for paraver; in a directory the name is made from\n"
    "                      the trace's (default: in the working directory)\n"
    "  -h, --help          this text\n";

enum { OPTION_TO = OPTION_FIRST_OWN };

struct options {
  const char *input, *output;
  const struct export_kind *kind;
};

/* These functions return -1 to go on, else the exit status. */
static int take_format(struct options *options, const char *command)
{
  for (size_t i = 0; i < EXPORT_FORMATS; i++)
    if (strcmp(optarg, export_kinds[i].name) == 0)
      options->kind = &export_kinds[i];
  return options->kind ? -1 : command_usage(command, "--to %s: give paraver, perfetto, chrome, paje or csv", optarg);
}

static int take_options(struct options *options, int argc, char **argv)
{
  static const struct option list[] = {{"to", required_argument, NULL, OPTION_TO},
                                       {"output", required_argument, NULL, 'o'},
                                       {"help", no_argument, NULL, 'h'},
                                       {NULL, 0, NULL, 0}};
  int status = -1, code;
  opterr = 0;
  while (status < 0 && (code = getopt_long(argc, argv, ":ho:", list, NULL)) != -1) {
    if (code == 'h')
      status = command_help(help);
    else if (code == 'o')
      options->output = optarg;
    else
      status = code == OPTION_TO ? take_format(options, argv[0]) : command_bad_option(argv, code);
  }
  if (status >= 0)
    return status;
  if (!options->kind)
    return command_usage(argv[0], "no format is given: --to paraver, perfetto, chrome, paje or csv");
  if (optind == argc)
    return command_usage(argv[0], "no archive is given: name the trace's directory or its .otf2 file");
  if (optind + 1 < argc)
    return command_usage(argv[0], "one archive at a time (%s is one too many)", argv[optind + 1]);
  if (options->kind->several && options->output && strcmp(options->output, "-") == 0)
    return command_usage(argv[0], "-o -: %s has several files, and they can't all be standard output",
                         options->kind->name);
  options->input = argv[optind];
  return -1;
}

static bool is_directory(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool write_export(const struct options *options, const char *command, struct trace_error *error)
{
  trace_quiet_library();
  struct trace *trace = trace_open(options->input, error);
  if (!trace)
    return false;
  bool named = options->output && !is_directory(options->output);
  char *path = named ? strdup(options->output) : export_file_name(trace, options->kind, options->output);
  bool good = path || trace_fail(error, "out of memory");
  if (good && trace->ticks_per_second == 0)
    command_error(command, "%s: the archive does not say how long a tick is; taken for a nanosecond", options->input);
  good = good && options->kind->write(trace, path, error);
  free(path);
  trace_close(trace);
  return good;
}

int command_export(int argc, char **argv)
{
  struct options options = {0};
  int status = take_options(&options, argc, argv);
  if (status >= 0)
    return status;
  struct trace_error error;
  if (write_export(&options, argv[0], &error))
    return EXIT_DONE;
  if (error.message[0])
    command_error(argv[0], "%s", error.message);
  return EXIT_FAULT;
}
