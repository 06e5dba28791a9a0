#include "analyzer/exchange/import/import.h"

#include "analyzer/analyses/intervals/plan.h"
#include "analyzer/command/values.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>

enum { FROM_CSV, FROM_GLIMPSE };

struct import_own_options {
  unsigned from, unit, ids;
  const char *spec, *output;
};

static struct spec *read_spec(const char *path, struct error *error)
{
  struct spec *spec = spec_read(path, error);
  if (spec && spec_check(spec, error))
    return spec;
  spec_free(spec);
  return NULL;
}

static int import_run(const struct command *command, int argc, char **argv)
{
  struct import_own_options options = {.from = UINT32_MAX};
  struct error error = {{0}};
  int status = command_take(command, (void *[OPTION_SETS]){&options}, argc, argv);
  if (status >= 0)
    return status;
  if (options.from == UINT32_MAX || !options.output)
    return command_usage(argv[0], options.output ? "no format is given: use --from csv or --from glimpse"
                                                 : "no directory is given: use -o DIR");
  if ((options.from == FROM_GLIMPSE) != (options.spec != NULL))
    return command_usage(argv[0], options.spec ? "--spec is for --from glimpse"
                                               : "--from glimpse needs --spec SPEC: logs do not say which attributes "
                                                 "events have");
  struct spec *spec = options.spec ? read_spec(options.spec, &error) : NULL;
  const struct import_how how = {.format = options.from == FROM_CSV ? IMPORT_CSV : IMPORT_GLIMPSE,
                                 .unit_digits = 3 * options.unit,
                                 .spec = spec,
                                 .ids = options.ids ? IMPORT_REVERSED : IMPORT_DECLARED};
  bool good =
      (spec || !options.spec) && import_files(&how, argv + optind, (size_t)(argc - optind), options.output, &error);
  if (!good)
    command_failed(argv[0], error.message);
  spec_free(spec);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option import_own_options[] = {
    {.name = "from",
     .words = "csv|glimpse",
     .help = "what the files are",
     .take = option_word,
     .at = offsetof(struct import_own_options, from)},
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .help = "make the archive there",
     .take = option_text,
     .at = offsetof(struct import_own_options, output)},
    {.name = "spec",
     .argument = "SPEC",
     .help = "glimpse: the specification of the events (heddle-spec(1))",
     .take = option_text,
     .at = offsetof(struct import_own_options, spec)},
    {.name = "ids",
     .words = "declared|reversed",
     .help = "glimpse: how the specification's events are numbered, from the first (default) or from the last",
     .take = option_word,
     .at = offsetof(struct import_own_options, ids)},
    {.name = "unit",
     .words = "ns|us|ms|s",
     .help = "the unit of times (default: ns)",
     .take = option_word,
     .at = offsetof(struct import_own_options, unit)},
    {.name = NULL}};

const struct command command_import = {
    .name = "import",
    .group = COMMAND_EXPORT,
    .summary = "makes a trace of events that another program logged: CSV, or logs of Glimpse",
    .synopsis = "--from csv|glimpse -o DIR [OPTION]... FILE...",
    .about = "Makes an archive that all commands read from events that another program logged.\n"
             "csv: a first line thread,time,event and names of attributes; then a line an event.\n"
             "glimpse: binary logs log.0, log.1, ..., one a thread.\n",
    .operand = "files of events",
    .least = 1,
    .options = {{.list = import_own_options}},
    .run = import_run,
};
