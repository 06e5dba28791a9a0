#include "analyzer/command/print/print.h"
#include "analyzer/command/shared_options.h"
#include "analyzer/command/values.h"
#include "analyzer/models/sequence_show.h"
#include "analyzer/models/transform_show.h"
#include "analyzer/models/transforms/transforms.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PLACES_SHOWN = 10, STEPS_MOST = 1000000000 };

struct transform_options {
  struct transforms *list;
  const char *input, *output, *save_list, *compare;
  uint64_t upto;
  bool preview, suggest, csl, plugins;
  struct records_request records;
  struct shared_options shared;
};

static int take_list(const struct option_given *given, void *into)
{
  struct transform_options *options = into;
  struct error error;
  if (transforms_read(options->list, given->value, &error))
    return -1;
  command_error(given->command, "%s", error.message);
  return EXIT_FAULT;
}

/* The option's name is the step's. */
static int transform_take_step(const struct option_given *given, void *into)
{
  struct transform_options *options = into;
  struct error error;
  if (transforms_add(options->list, given->option->name, given->value, &error))
    return -1;
  return command_usage(given->command, "--%s", error.message);
}

static int take_no_merge(const struct option_given *given, void *into)
{
  struct transform_options *options = into;
  struct error error;
  if (transforms_no_merge(options->list, &error))
    return -1;
  return command_usage(given->command, "--no-merge: %s", error.message);
}

static int transform_take_options(struct transform_options *options, const struct command *command, int argc,
                                  char **argv)
{
  int status = command_take(command, (void *[OPTION_SETS]){options, options, &options->shared}, argc, argv);
  if (status >= 0)
    return status;
  bool shows_records = options->records.range.first > 0;
  int shown = options->preview + options->suggest + (options->compare != NULL) + shows_records;
  bool nothing = !options->output && shown == 0;
  if (optind == argc && (!nothing || !options->save_list))
    return command_usage(argv[0], "no sequence is given: name a file that `heddle pes` wrote");
  if (nothing && !options->save_list)
    return command_usage(
        argv[0], "no action given: use -o FILE, --records, --preview, --suggest, --compare FILE or --save-list FILE");
  if (transforms_list_plugin(options->list) && !nothing && (!options->plugins || options->preview || options->compare))
    return command_usage(argv[0], options->plugins
                                      ? "--preview and --compare load no plug-in from a list: give it with --plugin"
                                      : "the list has a plug-in, which is code: --plugins loads it");
  if (shown > 1)
    return command_usage(argv[0], "--records, --preview, --suggest and --compare exclude each other");
  if (options->csl && !options->output)
    return command_usage(argv[0], "--csl needs -o");
  options->input = argv[optind];
  if (options->input && strcmp(options->input, "-") == 0 && (options->preview || options->suggest || options->compare))
    return command_usage(argv[0], "--preview, --suggest and --compare read the sequence several times; give a file, "
                                  "not -");
  return -1;
}

/* True if the output is the input, which is never overwritten. */
static bool is_input(const struct transform_options *options)
{
  struct stat input, output;
  return stat(options->input, &input) == 0 && stat(options->output, &output) == 0 && S_ISREG(input.st_mode) &&
         input.st_dev == output.st_dev && input.st_ino == output.st_ino;
}

/* Returns the number of steps to execute. */
static size_t steps_of(const struct transform_options *options)
{
  size_t count = transforms_count(options->list);
  return options->upto < count ? options->upto : count;
}

/* Warns of a pattern that never occurs, which is most often a mistake. */
static void warn_of_unused(const char *command, const struct pes_stream *stream)
{
  for (uint32_t i = 0; i < pes_states_count(stream->states); i++) {
    const struct pes_state *state = pes_state(stream->states, i);
    if (state->kind == PES_PATTERN && state->run_count == 0 && state->other_runs == 0)
      command_error(command, "%s: the pattern does not occur", state->name);
  }
}

static bool write_sequence(const struct transform_options *options, const char *command, struct error *error)
{
  if (is_input(options))
    return error_set(error, "%s is the sequence itself; write another file", options->output);
  struct pes_stream *stream = transforms_open_file(options->list, options->upto, options->input, error);
  if (!stream)
    return false;
  bool good = pes_write(stream, options->output, options->csl ? PES_FIGURE : PES_BINARY, error);
  if (good)
    warn_of_unused(command, stream);
  pes_close(stream);
  return good;
}

static bool show_preview(const struct transform_options *options, struct error *error)
{
  size_t count = steps_of(options);
  uint32_t first = 0;
  if (count == 0)
    return error_set(error, "there is no step to preview");
  /* The states that the last step adds follow the states of all steps before it. */
  struct pes_stream *before = transforms_open_file(options->list, count - 1, options->input, error);
  struct transforms_summary summary;
  bool good = before && transforms_summarize(before, &summary, error);
  if (good)
    first = pes_states_count(before->states);
  pes_close(before);
  struct pes_stream *after = good ? transforms_open_file(options->list, count, options->input, error) : NULL;
  good = after && transform_show_preview(after, first, PLACES_SHOWN, &summary, options->shared.format, error);
  pes_close(after);
  return good;
}

static bool summarize(const struct transform_options *options, const struct transforms *list, size_t count,
                      struct transforms_summary *summary, uint64_t *ticks_per_second, struct error *error)
{
  struct pes_stream *stream = transforms_open_file(list, count, options->input, error);
  bool good = stream && transforms_summarize(stream, summary, error);
  if (good)
    *ticks_per_second = stream->program->ticks_per_second;
  pes_close(stream);
  return good;
}

static bool show_comparison(const struct transform_options *options, struct error *error)
{
  struct transforms *other = transforms_create();
  struct transform_compared rows[3] = {{.name = "(none)"}, {.name = "(this)"}, {.name = options->compare}};
  uint64_t ticks_per_second = 0;
  size_t own = steps_of(options);
  bool good = other ? transforms_read(other, options->compare, error) : error_set(error, "out of memory");
  if (good && transforms_list_plugin(other))
    good = error_set(error, "%s: the list has a plug-in, and --compare loads none", options->compare);
  if (good) {
    const struct transforms *lists[] = {options->list, options->list, other};
    rows[1].steps = own;
    rows[2].steps = transforms_count(other);
    for (size_t i = 0; i < 3 && good; i++)
      good = summarize(options, lists[i], rows[i].steps, &rows[i].summary, &ticks_per_second, error);
  }
  good = good && transform_show_comparison(rows, 3, ticks_per_second, options->shared.format, error);
  transforms_free(other);
  return good;
}

static bool show_records(const struct transform_options *options, struct error *error)
{
  struct pes_stream *stream = transforms_open_file(options->list, options->upto, options->input, error);
  bool good = stream && records_show(stream, &options->records, options->shared.format, error);
  pes_close(stream);
  return good;
}

static bool transform_work(const struct transform_options *options, const char *command, struct error *error)
{
  if (options->save_list && !transforms_write(options->list, options->save_list, error))
    return false;
  if (options->output && !write_sequence(options, command, error))
    return false;
  if (options->records.range.first > 0)
    return show_records(options, error);
  if (options->preview)
    return show_preview(options, error);
  if (options->suggest)
    return transform_suggest(options->input, options->list, steps_of(options), options->shared.format, error);
  return !options->compare || show_comparison(options, error);
}

static int transform_run(const struct command *command, int argc, char **argv)
{
  struct transform_options options = {.list = transforms_create(), .upto = SIZE_MAX, .shared.format = PRINT_TEXT};
  struct error error = {{0}};
  if (!options.list) {
    command_error(argv[0], "out of memory");
    return EXIT_FAULT;
  }
  int status = transform_take_options(&options, command, argc, argv);
  if (status < 0) {
    status = transform_work(&options, argv[0], &error) ? EXIT_DONE : EXIT_FAULT;
    if (status == EXIT_FAULT)
      command_failed(argv[0], error.message);
    else
      status = command_printed();
  }
  transforms_free(options.list);
  return status;
}

/* A test compares them with the kinds of steps (transforms_keyword()). */
static const struct command_option step_options[] = {
    {.name = "clip-time",
     .argument = "A,B",
     .help = "keep what begins from A to B: entry times; with a unit: times since the beginning",
     .take = transform_take_step},
    {.name = "clip-ends",
     .argument = "N,M",
     .help = "drop the first N records and the last M",
     .take = transform_take_step},
    {.name = "clip-range", .argument = "I,F", .help = "keep the I-th record to the F-th", .take = transform_take_step},
    {.name = "clip-phase",
     .argument = "N",
     .help = "keep the N-th phase, as heddle phases finds it",
     .take = transform_take_step},
    {.name = "filter-time",
     .argument = "T",
     .help = "make aggregates of states that take less than T in all: 0.01, 1%, 5ms, 31ticks",
     .take = transform_take_step},
    {.name = "filter-count",
     .argument = "N",
     .help = "make aggregates of states that occur less than N times",
     .take = transform_take_step},
    {.name = "aggregate",
     .argument = "S,...=NAME",
     .help = "make one state of a sequence of states",
     .take = transform_take_step},
    {.name = "project", .argument = "C,...", .help = "keep components: 0, 0-2, a name", .take = transform_take_step},
    {.name = "drop", .argument = "C,...", .help = "drop components", .take = transform_take_step},
    {.name = "merge-values",
     .argument = "C,...:V+...=NAME[,CODE]",
     .help = "make one value of several values of components",
     .take = transform_take_step},
    {.name = "merge-components",
     .argument = "C,...=NAME",
     .help = "make one component of several",
     .take = transform_take_step},
    {.name = "no-merge", .help = "keep equal neighbours apart after the preceding projection", .take = take_no_merge},
    {.name = "plugin",
     .argument = "FILE[,ARGS]",
     .help = "a transform from a shared library, see heddle-transform.h",
     .take = transform_take_step},
    {.name = "list", .argument = "FILE", .help = "the steps of a file, one a line: filter-time 1%", .take = take_list},
    {.name = NULL}};

static const struct command_option transform_own_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "write the sequence",
     .take = option_text,
     .at = offsetof(struct transform_options, output)},
    {.name = "csl", .help = "write CSL text", .take = option_flag, .at = offsetof(struct transform_options, csl)},
    {.name = "upto",
     .argument = "K",
     .help = "the first K steps only",
     .take = option_number,
     .at = offsetof(struct transform_options, upto),
     .most = STEPS_MOST},
    {.name = "plugins",
     .help = "load the plug-ins that lists name: they are code",
     .take = option_flag,
     .at = offsetof(struct transform_options, plugins)},
    {.name = "save-list",
     .argument = "FILE",
     .help = "write the steps",
     .take = option_text,
     .at = offsetof(struct transform_options, save_list)},
    {.name = "compare",
     .argument = "FILE",
     .help = "compare with the steps of another list",
     .take = option_text,
     .at = offsetof(struct transform_options, compare)},
    OPTION_RECORDS(struct transform_options),
    {.name = "preview",
     .help = "show where the last step would put aggregates",
     .take = option_flag,
     .at = offsetof(struct transform_options, preview)},
    {.name = "suggest",
     .help = "print steps that are worth adding: patterns that repeat, rare states",
     .take = option_flag,
     .at = offsetof(struct transform_options, suggest)},
    {.name = NULL}};

const struct command command_transform = {
    .name = "transform",
    .group = COMMAND_MODEL,
    .summary = "clips, filters, aggregates and projects a sequence of program states",
    .synopsis = "[OPTION]... FILE",
    .about =
        "Makes a new program execution sequence from one (heddle pes). The steps are applied in the given order.\n",
    .operand = "one sequence",
    .most = 1,
    .options = {{"Steps:", step_options}, {"What is done with them:", transform_own_options}, {.list = format_options}},
    .run = transform_run,
};
