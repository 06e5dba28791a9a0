#include "analyzer/commands/command.h"

#include "analyzer/print/escape.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void put_error(const char *command, const char *format, va_list arguments, bool usage)
{
  char *message = NULL;
  if (vasprintf(&message, format, arguments) < 0)
    message = NULL;
  char *escaped = message ? escape_text(message) : NULL;
  fprintf(stderr, "heddle %s: %s", command, escaped ? escaped : "out of memory");
  if (usage)
    fprintf(stderr, "; see `heddle %s --help`", command);
  fputc('\n', stderr);
  free(escaped);
  free(message);
}

void command_error(const char *command, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  put_error(command, format, arguments, false);
  va_end(arguments);
}

int command_usage(const char *command, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  put_error(command, format, arguments, true);
  va_end(arguments);
  return EXIT_USAGE;
}

int command_bad_option(char **argv, int code)
{
  const char *option = argv[optind - 1];
  if (code == ':')
    return command_usage(argv[0], "option %s needs a value", option);
  if (optopt != 0 && strncmp(option, "--", 2) != 0)
    return command_usage(argv[0], "unknown option -%c", optopt);
  return command_usage(argv[0], "unknown or ambiguous option %s", option);
}

int command_common_option(struct command_options *options, char **argv, int code, const char *help)
{
  char *end;
  unsigned long jobs;
  switch (code) {
  case 'h':
    fputs(help, stdout);
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAULT;
  case OPTION_JSON:
  case OPTION_CSV:
    if (options->format != PRINT_TEXT)
      return command_usage(argv[0], "one of --json and --csv is enough");
    options->format = code == OPTION_JSON ? PRINT_JSON : PRINT_CSV;
    return -1;
  case 'j':
    jobs = strtoul(optarg, &end, 10);
    if (*optarg < '0' || *optarg > '9' || *end || jobs < 1 || jobs > 1024)
      return command_usage(argv[0], "--jobs %s: give a number from 1 to 1024", optarg);
    options->jobs = (unsigned)jobs;
    return -1;
  default:
    return command_bad_option(argv, code);
  }
}

int command_operand(struct command_options *options, int argc, char **argv)
{
  if (optind == argc)
    return command_usage(argv[0], "which archive? Give the trace's directory or its .otf2 file");
  if (optind + 1 < argc)
    return command_usage(argv[0], "one archive at a time (%s is one too many)", argv[optind + 1]);
  options->path = argv[optind];
  return -1;
}

bool command_begin(struct command_run *run, const char *name, const struct command_options *options)
{
  struct trace_error error;
  *run = (struct command_run){.name = name};
  run->trace = trace_open(options->path, &error);
  if (!run->trace) {
    command_error(name, "%s", error.message);
    return false;
  }
  run->pool = pool_create(options->jobs);
  if (run->pool)
    run->print = print_open(options->format, stdout, run->trace->ticks_per_second);
  if (!run->print) {
    command_error(name, "out of memory");
    pool_destroy(run->pool);
    trace_close(run->trace);
    return false;
  }
  return true;
}

int command_end(struct command_run *run, bool good, const struct trace_error *error)
{
  if (!good)
    command_error(run->name, "%s", error->message);
  bool printed = print_close(run->print);
  pool_destroy(run->pool);
  trace_close(run->trace);
  return good && printed ? EXIT_DONE : EXIT_FAULT;
}
