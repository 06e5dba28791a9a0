#include "analyzer/exchange/import/import.h"

#include "analyzer/analyses/intervals/plan.h"
#include "analyzer/command/values.h"
#include "analyzer/exchange/import/archive.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns the thread of a log: `log.3` is thread 3; other logs have their number on the command line. */
static void name_thread(const char *file, size_t number, char *name, size_t size)
{
  const char *point = strrchr(file, '.');
  const char *digits = point && isdigit((unsigned char)point[1]) ? point + 1 : "";
  size_t count = strspn(digits, "0123456789");
  if (count > 0 && count < 10 && digits[count] == 0)
    snprintf(name, size, "thread %s", digits);
  else
    snprintf(name, size, "thread %zu", number);
}

static bool import_file(const struct import_options *options, const char *path, size_t number,
                        struct import_archive *archive, struct error *error)
{
  bool is_input = strcmp(path, "-") == 0, good;
  FILE *file = is_input ? stdin : fopen(path, "re");
  if (!file)
    return error_set(error, "%s: cannot open: %s", path, strerror(errno));
  if (options->format == IMPORT_CSV) {
    good = import_read_csv(file, path, options, import_archive_take, archive, error);
  } else {
    char thread[40];
    name_thread(path, number, thread, sizeof thread);
    good = import_read_glimpse(file, path, thread, options, import_archive_take, archive, error) &&
           import_archive_end_threads(archive, error);
  }
  if (!is_input)
    fclose(file);
  return good;
}

bool import_files(const struct import_options *options, char *const *files, size_t count, const char *directory,
                  struct error *error)
{
  static const struct import_form form = {.process = "imported", .ticks_per_second = 1000000000, .points = true};
  struct import_archive *archive = import_archive_open(&form, directory, error);
  bool good = archive;
  for (size_t i = 0; good && i < count; i++)
    good = import_file(options, files[i], i, archive, error);
  return archive && import_archive_close(archive, good, error);
}

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
  const struct import_options chosen = {.format = options.from == FROM_CSV ? IMPORT_CSV : IMPORT_GLIMPSE,
                                        .unit_digits = 3 * options.unit,
                                        .spec = spec,
                                        .ids = options.ids ? IMPORT_REVERSED : IMPORT_DECLARED};
  bool good =
      (spec || !options.spec) && import_files(&chosen, argv + optind, (size_t)(argc - optind), options.output, &error);
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
