#include "analyzer/exchange/export/export.h"

#include "analyzer/analyses/calls/source.h"
#include "analyzer/analyses/events/events_list.h"
#include "analyzer/analyses/intervals/intervals_show.h"
#include "analyzer/analyses/states/sums.h"
#include "analyzer/command/analysis.h"
#include "analyzer/command/print/print.h"
#include "analyzer/command/shared_options.h"
#include "analyzer/command/spec_options.h"
#include "analyzer/command/values.h"
#include "analyzer/exchange/export/formats.h"
#include "analyzer/trace/attributes.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/output.h"
#include "analyzer/trace/stream.h"
#include "base/error.h"
#include "common/raw/archive_names.h"

#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct export_kind export_kinds[EXPORT_FORMATS] = {
    [EXPORT_PARAVER] = {"paraver", ".prv", true, .write = export_paraver},
    [EXPORT_PERFETTO] = {"perfetto", ".pftrace", false, .write = export_perfetto},
    [EXPORT_CHROME] = {"chrome", ".chrome.json", false, .write = export_chrome},
    [EXPORT_PAJE] = {"paje", ".trace", false, .write = export_paje},
    [EXPORT_CSV] = {"csv", ".states.csv", false, .write = export_csv},
    [EXPORT_FOLDED] = {"folded", ".folded", false, .write_stacks = export_folded},
    [EXPORT_PPROF] = {"pprof", ".pb.gz", false, .write_stacks = export_pprof},
};

/* Returns the last part of a path; `length` excludes the suffix. */
static const char *stem_of(const char *path, const char *suffix, int *length)
{
  const char *slash = strrchr(path, '/');
  const char *begin = slash ? slash + 1 : path;
  size_t whole = strlen(begin), end = strlen(suffix);
  if (whole > end && strcmp(begin + whole - end, suffix) == 0)
    whole -= end;
  *length = whole < NAME_MAX / 2 ? (int)whole : NAME_MAX / 2;
  return begin;
}

/*
 * Returns the file name for a trace: `/runs/lu.heddle` and `/runs/lu.heddle/traces.otf2` become `lu.prv`, in
 * `directory` if this is not NULL. The caller frees it. NULL: out of memory.
 */
static char *export_file_name(const struct trace *trace, const struct export_kind *kind, const char *directory)
{
  static const char usual[] = "traces.otf2";
  char *path = realpath(trace->anchor, NULL);
  if (!path)
    path = strdup(trace->anchor);
  if (!path)
    return NULL;
  int length;
  size_t whole = strlen(path), end = sizeof usual - 1;
  const char *stem = NULL;
  if (whole > end + 1 && strcmp(path + whole - end, usual) == 0 && path[whole - end - 1] == '/') {
    path[whole - end - 1] = '\0';
    stem = stem_of(path, ".heddle", &length);
  }
  if (!stem || length == 0)
    stem = stem_of(path, ".otf2", &length);
  if (length == 0)
    stem = "trace", length = 5;
  char *name;
  if (asprintf(&name, "%s%s%.*s%s", directory ? directory : "", directory ? "/" : "", length, stem, kind->suffix) < 0)
    name = NULL;
  free(path);
  return name;
}

typedef bool export_tables_put_table(const struct analysis_run *run, const void *what, struct error *error);

static bool export_tables_put_events(const struct analysis_run *run, const void *what, struct error *error)
{
  static const struct point_selection selection = {.origin = POINTS_OF_USER};
  (void)what;
  return events_list_put(run, &selection, error);
}

static bool export_tables_put_intervals(const struct analysis_run *run, const void *what, struct error *error)
{
  const struct specified *specified = what;
  struct intervals_list list = {.run = run};
  const struct intervals_options options = {.spec = specified->spec,
                                            .plan = specified->plan,
                                            .work = SPEC_WORK_DEFAULT,
                                            .sink = intervals_list_put,
                                            .context = &list};
  struct intervals intervals;
  intervals_list_begin(&list);
  bool good = analysis_find(&intervals_analysis, run->trace, run->pool, &options, &intervals, error);
  intervals_list_end(&list);
  analysis_free(&intervals_analysis, &intervals);
  return good;
}

/* Returns `lu.NAME.csv` for `lu.csv` and `lu.states.csv`. The caller frees it. NULL: out of memory. */
static char *path_beside(const char *file, const char *name)
{
  static const char *const endings[] = {".states.csv", ".csv", ""};
  size_t length = strlen(file), i = 0;
  while (length < strlen(endings[i]) || strcmp(file + length - strlen(endings[i]), endings[i]) != 0)
    i++;
  char *path;
  return asprintf(&path, "%.*s.%s.csv", (int)(length - strlen(endings[i])), file, name) < 0 ? NULL : path;
}

static bool write_table(struct trace *trace, const char *file, const char *name, export_tables_put_table *put,
                        const void *what, struct error *error)
{
  struct output output;
  struct analysis_run run = {.trace = trace, .format = PRINT_CSV, .pool = pool_create(0)};
  char *path = path_beside(file, name);
  bool good = (run.pool && path) || error_set(error, "out of memory");
  if (good && (good = output_open(&output, path, error))) {
    run.print = print_open(PRINT_CSV, output.file, trace->ticks_per_second);
    bool put_all = run.print ? put(&run, what, error) : error_set(error, "out of memory");
    bool printed = run.print && print_close(run.print); /* says itself why not */
    if (put_all && !printed)
      error->message[0] = '\0';
    good = output_close(&output, put_all && printed, error);
  }
  free(path);
  pool_destroy(run.pool);
  return good;
}

static bool has_events(const struct trace *trace)
{
  bool found = false;
  for (uint32_t i = 0; !found && i < trace->region_count; i++)
    found = trace_region_is_user_event(&trace->regions[i]);
  return found;
}

/*
 * Writes the tables beside the table of states: the program's events, if it has any, and a specification's intervals (a
 * file name; NULL: none). `lu.csv` and `lu.states.csv` get `lu.events.csv` and `lu.intervals.csv`. Each file is
 * complete or does not exist. Standard output and devices get no further tables. False: an error; `error` is empty if
 * it has been printed.
 */
static bool export_tables(struct trace *trace, const char *file, const char *spec, struct error *error)
{
  struct stat status;
  if (strcmp(file, "-") == 0 || (stat(file, &status) == 0 && !S_ISREG(status.st_mode)))
    return true;
  bool good = !has_events(trace) || write_table(trace, file, "events", export_tables_put_events, NULL, error);
  if (!good || !spec)
    return good;
  struct specified specified;
  good = specified_read(&(struct spec_asked){.file = spec}, &specified, error) &&
         write_table(trace, file, "intervals", export_tables_put_intervals, &specified, error);
  specified_free(&specified);
  return good;
}

struct export_options {
  const char *input, *output, *spec;
  const struct export_kind *kind;
  struct restriction_options restriction;
  bool threads_level;
  struct export_stacks stacks;
  bool root_given;
};

/* Formats and times share an option: times begin with a digit or a point, formats do not. */
static int take_to(const struct option_given *given, void *into)
{
  struct export_options *options = into;
  if (strchr("0123456789.", given->value[0]) && given->value[0])
    return restriction_options_take_to(given, &options->restriction);
  options->kind = NULL;
  for (size_t i = 0; i < EXPORT_FORMATS; i++)
    if (strcmp(given->value, export_kinds[i].name) == 0)
      options->kind = &export_kinds[i];
  return options->kind ? -1 : option_no_word(given);
}

static int take_root(const struct option_given *given, void *into)
{
  struct export_options *options = into;
  unsigned root;
  struct command_option option = *given->option;
  struct option_given word = {given->command, &option, given->value};
  int status = option_word(&word, &root);
  if (status < 0)
    options->stacks.root = (enum export_root)(root + 1);
  options->root_given = true;
  return status;
}

static int export_take_use(const struct option_given *given, void *into)
{
  struct export_options *options = into;
  int status = option_word(given, &options->stacks.use);
  if (status < 0)
    options->stacks.use++; /* words begin with the first choice */
  return status;
}

/* Returns -1 to go on, else the exit status. */
static int export_take_options(struct export_options *options, const struct command *command, int argc, char **argv)
{
  void *const into[OPTION_SETS] = {[OPTIONS_OWN] = options, [OPTIONS_PART] = &options->restriction};
  int status = command_take(command, into, argc, argv);
  if (status >= 0)
    return status;
  if (!options->kind)
    return command_usage(argv[0], "no format is given: --to paraver, perfetto, chrome, paje, csv, folded or pprof");
  if (options->root_given && !options->kind->write_stacks)
    return command_usage(argv[0], "--root is for --to folded and --to pprof");
  if (options->stacks.use != CALLS_USE_ANY && !options->kind->write_stacks)
    return command_usage(argv[0], "--use is for --to folded and --to pprof");
  if (options->stacks.trigger && strcmp(options->kind->name, "folded") != 0)
    return command_usage(argv[0], "--trigger is for --to folded");
  if (options->kind->several && options->output && strcmp(options->output, "-") == 0)
    return command_usage(argv[0], "-o -: %s has several files, which cannot share standard output",
                         options->kind->name);
  if (options->spec && strcmp(options->kind->name, "csv") != 0)
    return command_usage(argv[0], "--spec is for --to csv");
  if (options->spec && options->output && strcmp(options->output, "-") == 0)
    return command_usage(argv[0], "--spec needs files: -o - has the states only");
  options->input = argv[optind];
  return -1;
}

static bool is_directory(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Reports the share of the threads' time that was not measured, if instances are omitted. */
static bool say_not_measured(const struct trace *trace, const char *command, struct error *error)
{
  const char *omitted = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_INSTANCES_SKIPPED);
  struct states_sums sums = {0};
  wide_total not_measured = 0, all = 0;
  if (!omitted || strtoull(omitted, NULL, 10) == 0)
    return true;
  struct pool *pool = pool_create(0);
  bool good =
      pool ? analysis_find(&states_sums_analysis, trace, pool, NULL, &sums, error) : error_set(error, "out of memory");
  for (uint32_t i = 0; good && i < trace->location_count; i++) {
    not_measured += sums.threads[i].ticks[STATE_UNMEASURED];
    for (unsigned k = 0; k < STATES; k++)
      all += sums.threads[i].ticks[k];
  }
  if (not_measured > 0)
    command_error(command, "%.1f %% of the threads' time is not recorded: UNMEASURED",
                  print_percentage(not_measured, all));
  states_sums_free(&sums);
  pool_destroy(pool);
  return good;
}

static bool write_export(const struct export_options *options, const char *command, struct error *error)
{
  otf2_library_quiet();
  struct trace *trace = trace_open(options->input, error);
  if (!trace)
    return false;
  struct restriction_options restriction = options->restriction;
  restriction.jvm_threads = restriction.virtual_threads = true; /* a viewer shows what the archive has */
  trace->threads_level = options->threads_level;
  trace_exclude_processors(trace); /* the formats add up all lines as threads */
  bool named = options->output && !is_directory(options->output);
  char *path = named ? strdup(options->output) : export_file_name(trace, options->kind, options->output);
  bool good = analysis_has_events(trace, error) && (path || error_set(error, "out of memory")) &&
              restriction_options_apply(&restriction, trace, error);
  if (good && trace->ticks_per_second == 0)
    command_error(command, "%s: the archive has no unit of time; times assume ticks of a nanosecond", options->input);
  good = good && (options->kind->write ? options->kind->write(trace, path, error)
                                       : options->kind->write_stacks(trace, &options->stacks, path, error));
  if (good && strcmp(options->kind->name, "csv") == 0)
    good = export_tables(trace, path, options->spec, error);
  good = good && say_not_measured(trace, command, error);
  free(path);
  trace_close(trace);
  return good;
}

static int export_run(const struct command *command, int argc, char **argv)
{
  struct export_options options = {0};
  int status = export_take_options(&options, command, argc, argv);
  if (status >= 0)
    return status;
  struct error error;
  if (write_export(&options, argv[0], &error))
    return EXIT_DONE;
  if (error.message[0])
    command_error(argv[0], "%s", error.message);
  return EXIT_FAULT;
}

static const struct command_option export_own_options[] = {
    {.name = "to",
     .argument = "FORMAT",
     .words = "paraver|perfetto|chrome|paje|csv|folded|pprof",
     .help = "paraver: .prv, .pcf and .row, for Paraver\n"
             "perfetto: for ui.perfetto.dev and trace_processor\n"
             "chrome: JSON, for chrome://tracing and other readers of this format\n"
             "paje: for ViTE and PajeNG\n"
             "csv: a row for each state of each thread; in files beside it, the program's events and intervals\n"
             "folded: stacks of samples or of exact calls, for flame graph tools and speedscope\n"
             "pprof: the same with lines, threads, constructs and states, for `go tool pprof`\n"
             "a time, which begins with a digit or a point: only the part of the run before this time",
     .take = take_to},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "the file to write; - is standard output (not for paraver); in a directory the trace's name is used "
             "(default: in the working directory)",
     .take = option_text,
     .at = offsetof(struct export_options, output)},
    {.name = "spec",
     .argument = "FILE",
     .help = "csv: also the intervals of this specification (heddle-intervals(1))",
     .take = option_text,
     .at = offsetof(struct export_options, spec)},
    OPTION_LEVEL(struct export_options),
    {.name = "root",
     .words = "process|thread",
     .help = "folded, pprof: each stack begins with its process, or with process and thread (default: neither)",
     .take = take_root},
    {.name = "trigger",
     .argument = "NAME",
     .help = "folded: the samples of this trigger, as `cpu` (default: the first one of time); of exact calls: time "
             "(default), blocked or calls",
     .take = option_text,
     .at = offsetof(struct export_options, stacks.trigger)},
    {.name = "use",
     .words = CALLS_USE_WORDS,
     .help = "folded, pprof: if a run has both, its exact calls (default) or its samples",
     .take = export_take_use},
    {.name = NULL}};

const struct command command_export = {
    .name = "export",
    .group = COMMAND_EXPORT,
    .summary = "writes a trace for other viewers: Paraver, Perfetto, Paje (ViTE, PajeNG), CSV, flame graphs, pprof",
    .synopsis = "--to FORMAT [OPTION]... DIR",
    .notes = "--to can be given twice: `--to csv --from 1s --to 2s`.\n",
    .about = "Writes a trace for other viewers. DIR is the trace's directory or its .otf2 file.\n",
    .operand = OPERAND_ARCHIVE,
    .least = 1,
    .most = 1,
    .options = {[OPTIONS_OWN] = {.list = export_own_options}, RESTRICTION_OPTIONS_BUT_TO},
    .run = export_run,
};
