#include "analyzer/commands/analysis.h"

#include <stdlib.h>

/* The options that all analyses have. */
struct options {
  const char *path; /* the archive */
  enum print_format format;
  unsigned jobs; /* 0: one a processor */
};

static int take_jobs(struct options *options, const char *command)
{
  char *end;
  unsigned long jobs = strtoul(optarg, &end, 10);
  if (*optarg < '0' || *optarg > '9' || *end || jobs < 1 || jobs > 1024)
    return command_usage(command, "--jobs %s: give a number from 1 to 1024", optarg);
  options->jobs = (unsigned)jobs;
  return -1;
}

/* These functions return -1 to go on, else the exit status. */
static int take_option(const struct analysis *analysis, struct options *options, void *own, char **argv, int code)
{
  switch (code) {
  case 'h':
    return command_help(analysis->help);
  case OPTION_JSON:
  case OPTION_CSV:
    if (options->format != PRINT_TEXT)
      return command_usage(argv[0], "one of --json and --csv is enough");
    options->format = code == OPTION_JSON ? PRINT_JSON : PRINT_CSV;
    return -1;
  case 'j':
    return take_jobs(options, argv[0]);
  default:
    return code >= OPTION_FIRST_OWN ? analysis->take(own, argv[0], code) : command_bad_option(argv, code);
  }
}

static int take_options(const struct analysis *analysis, struct options *options, void *own, int argc, char **argv)
{
  int code;
  int status = -1;
  opterr = 0;
  while (status < 0 && (code = getopt_long(argc, argv, ":hj:", analysis->options, NULL)) != -1)
    status = take_option(analysis, options, own, argv, code);
  if (status < 0 && analysis->check)
    status = analysis->check(own, argv[0]);
  if (status >= 0)
    return status;
  if (optind == argc)
    return command_usage(argv[0], "no archive is given: name the trace's directory or its .otf2 file");
  if (optind + 1 < argc)
    return command_usage(argv[0], "one archive at a time (%s is one too many)", argv[optind + 1]);
  options->path = argv[optind];
  return -1;
}

static bool begin(struct analysis_run *run, const struct options *options, struct trace_error *error)
{
  trace_quiet_library();
  run->trace = trace_open(options->path, error);
  if (!run->trace)
    return false;
  run->pool = pool_create(options->jobs);
  if (run->pool)
    run->print = print_open(options->format, stdout, run->trace->ticks_per_second);
  return run->print || trace_fail(error, "out of memory");
}

int analysis_command(const struct analysis *analysis, void *own, int argc, char **argv)
{
  struct options options = {.format = PRINT_TEXT};
  int status = take_options(analysis, &options, own, argc, argv);
  if (status >= 0)
    return status;
  struct trace_error error;
  struct analysis_run run = {.command = argv[0], .format = options.format};
  bool good = begin(&run, &options, &error) && analysis->work(&run, own, &error);
  if (!good)
    command_error(argv[0], "%s", error.message);
  if (run.print && !print_close(run.print))
    good = false;
  pool_destroy(run.pool);
  trace_close(run.trace);
  return good ? EXIT_DONE : EXIT_FAULT;
}
