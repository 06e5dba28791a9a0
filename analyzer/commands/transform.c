#include "analyzer/commands/plain.h"
#include "analyzer/commands/transform_show.h"
#include "analyzer/print/print.h"
#include "analyzer/transforms/transforms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "Usage: heddle transform [OPTION]... FILE\n"
    "Makes another program execution sequence of one (heddle pes). Steps are done in the order in which they are "
    "given.\n\n"
    "Steps:\n"
    "  --clip-time A,B          keep what begins from A to B: entry times, or with a unit since the beginning\n"
    "  --clip-ends N,M          drop the first N records and the last M\n"
    "  --clip-range I,F         keep the I-th record to the F-th\n"
    "  --filter-time T          states that take less than T in all become aggregates: 0.01, 1%, 5ms, 31ticks\n"
    "  --filter-count N         states that occur less than N times become aggregates\n"
    "  --aggregate S,...=NAME   a sequence of states becomes one\n"
    "  --project C,...          keep components: 0, 0-2, a name\n"
    "  --drop C,...             drop components\n"
    "  --merge-values C,...:V+...=NAME[,CODE]  values of components become one\n"
    "  --merge-components C,...=NAME           components become one\n"
    "  --no-merge               the projection before this leaves equal neighbours apart\n"
    "  --plugin FILE[,ARGS]     a transform of your own: heddle-transform.h\n"
    "  --list FILE              the steps of a file, one a line: filter-time 1%\n\n"
    "What is done with them:\n"
    "  -o, --output FILE        write the sequence\n"
    "  --csl                    ... as text\n"
    "  --upto K                 the first K steps only\n"
    "  --save-list FILE         write the steps\n"
    "  --compare FILE           compare with the steps of another list\n"
    "  --preview                show where the last step would put aggregates\n"
    "  --places N               ... the first N places (default: 10)\n"
    "  --json, --csv            JSON or CSV instead of text\n"
    "  -h, --help               this text\n";

enum {
  OPTION_LIST = OPTION_FIRST_OWN,
  OPTION_UPTO,
  OPTION_SAVE_LIST,
  OPTION_COMPARE,
  OPTION_PREVIEW,
  OPTION_PLACES,
  OPTION_NO_MERGE,
  OPTION_CSL,
  OPTION_FIRST_STEP
};

enum { STEPS_MAX = 32, PLACES_DEFAULT = 10 }; /* kinds of steps */

static const struct option own_options[] = {PLAIN_OPTIONS,
                                            {"output", required_argument, NULL, 'o'},
                                            {"list", required_argument, NULL, OPTION_LIST},
                                            {"upto", required_argument, NULL, OPTION_UPTO},
                                            {"save-list", required_argument, NULL, OPTION_SAVE_LIST},
                                            {"compare", required_argument, NULL, OPTION_COMPARE},
                                            {"preview", no_argument, NULL, OPTION_PREVIEW},
                                            {"places", required_argument, NULL, OPTION_PLACES},
                                            {"no-merge", no_argument, NULL, OPTION_NO_MERGE},
                                            {"csl", no_argument, NULL, OPTION_CSL}};
#define OWN_OPTIONS (sizeof own_options / sizeof *own_options)

struct options {
  struct transforms *list;
  const char *input, *output, *save_list, *compare;
  size_t upto, places;
  bool preview, csl;
  enum print_format format;
};

static int take_number(const char *command, const char *option, size_t *number)
{
  uint64_t value;
  if (!plain_number(optarg, 0, 1000000000, &value))
    return command_usage(command, "%s %s: give a number up to 1000000000", option, optarg);
  *number = value;
  return -1;
}

/* These functions return -1 to go on, else the exit status. */
static int take_list(struct options *options, const char *command)
{
  struct trace_error error;
  if (transforms_read(options->list, optarg, &error))
    return -1;
  command_error(command, "%s", error.message);
  return EXIT_FAULT;
}

static int take_step(struct options *options, const char *command, int code)
{
  struct trace_error error;
  if (transforms_add(options->list, transforms_keyword((size_t)(code - OPTION_FIRST_STEP)), optarg, &error))
    return -1;
  return command_usage(command, "--%s", error.message);
}

static int take_no_merge(struct options *options, const char *command)
{
  struct trace_error error;
  return transforms_no_merge(options->list, &error) ? -1 : command_usage(command, "--no-merge: %s", error.message);
}

static int take_option(void *own, const char *command, int code)
{
  struct options *options = own;
  switch (code) {
  case 'o':
    options->output = optarg;
    return -1;
  case OPTION_LIST:
    return take_list(options, command);
  case OPTION_UPTO:
    return take_number(command, "--upto", &options->upto);
  case OPTION_PLACES:
    return take_number(command, "--places", &options->places);
  case OPTION_SAVE_LIST:
    options->save_list = optarg;
    return -1;
  case OPTION_COMPARE:
    options->compare = optarg;
    return -1;
  case OPTION_PREVIEW:
    options->preview = true;
    return -1;
  case OPTION_CSL:
    options->csl = true;
    return -1;
  case OPTION_NO_MERGE:
    return take_no_merge(options, command);
  default:
    return take_step(options, command, code);
  }
}

/* Each kind of step is an option. */
static void list_options(struct option *list)
{
  memcpy(list, own_options, sizeof own_options);
  for (size_t i = 0; i < STEPS_MAX && transforms_keyword(i); i++)
    list[OWN_OPTIONS + i] =
        (struct option){transforms_keyword(i), required_argument, NULL, (int)(OPTION_FIRST_STEP + i)};
}

static int take_options(struct options *options, int argc, char **argv)
{
  struct option list[OWN_OPTIONS + STEPS_MAX + 1] = {0};
  const struct plain plain = {help, list, "one sequence", 0, 1, take_option};
  list_options(list);
  int status = plain_options(&plain, options, &options->format, argc, argv);
  if (status >= 0)
    return status;
  bool nothing = !options->output && !options->compare && !options->preview;
  if (optind == argc && (!nothing || !options->save_list))
    return command_usage(argv[0], "no sequence is given: name a file that `heddle pes` wrote");
  if (nothing && !options->save_list)
    return command_usage(argv[0], "what for? Give -o FILE, --preview, --compare FILE or --save-list FILE");
  if (options->preview && options->compare)
    return command_usage(argv[0], "--preview and --compare don't go together");
  if (options->csl && !options->output)
    return command_usage(argv[0], "--csl says how -o writes, but -o is not given");
  options->input = argv[optind];
  if (options->input && strcmp(options->input, "-") == 0 && (options->preview || options->compare))
    return command_usage(argv[0], "--preview and --compare read the sequence several times; give a file, not -");
  return -1;
}

/* The sequence is never written over. */
static bool is_input(const struct options *options)
{
  struct stat input, output;
  return stat(options->input, &input) == 0 && stat(options->output, &output) == 0 && S_ISREG(input.st_mode) &&
         input.st_dev == output.st_dev && input.st_ino == output.st_ino;
}

static struct pes_stream *open_steps(const struct options *options, const struct transforms *list, size_t count,
                                     struct trace_error *error)
{
  struct pes_stream *source = pes_open(options->input, error);
  return source ? transforms_open(list, count, source, error) : NULL;
}

/* A pattern that occurs nowhere is most often a mistake. */
static void warn_of_unused(const char *command, const struct pes_stream *stream)
{
  for (uint32_t i = 0; i < pes_states_count(stream->states); i++) {
    const struct pes_state *state = pes_state(stream->states, i);
    if (state->kind == PES_PATTERN && state->run_count == 0 && state->other_runs == 0)
      command_error(command, "%s: its pattern occurs nowhere", state->name);
  }
}

static bool write_sequence(const struct options *options, const char *command, struct trace_error *error)
{
  if (is_input(options))
    return trace_fail(error, "%s is the sequence itself; write another file", options->output);
  struct pes_stream *stream = open_steps(options, options->list, options->upto, error);
  if (!stream)
    return false;
  bool good = options->csl ? pes_write_csl(stream, options->output, PES_FIGURE, error)
                           : pes_write_binary(stream, options->output, error);
  if (good)
    warn_of_unused(command, stream);
  pes_close(stream);
  return good;
}

static bool show_preview(const struct options *options, struct trace_error *error)
{
  size_t count = options->upto < transforms_count(options->list) ? options->upto : transforms_count(options->list);
  uint32_t first = 0;
  if (count == 0)
    return trace_fail(error, "there is no step to preview");
  /* What the last step adds is what is behind the states of all steps before it. */
  struct pes_stream *before = open_steps(options, options->list, count - 1, error);
  struct transforms_summary summary;
  bool good = before && transforms_summarize(before, &summary, error);
  if (good)
    first = pes_states_count(before->states);
  pes_close(before);
  struct pes_stream *after = good ? open_steps(options, options->list, count, error) : NULL;
  good = after && transform_show_preview(after, first, options->places, &summary, options->format, error);
  pes_close(after);
  return good;
}

static bool summarize(const struct options *options, const struct transforms *list, size_t count,
                      struct transforms_summary *summary, uint64_t *ticks_per_second, struct trace_error *error)
{
  struct pes_stream *stream = open_steps(options, list, count, error);
  bool good = stream && transforms_summarize(stream, summary, error);
  if (good)
    *ticks_per_second = stream->program->ticks_per_second;
  pes_close(stream);
  return good;
}

static bool show_comparison(const struct options *options, struct trace_error *error)
{
  struct transforms *other = transforms_create();
  struct transform_compared rows[3] = {{.name = "(none)"}, {.name = "(this)"}, {.name = options->compare}};
  uint64_t ticks_per_second = 0;
  size_t own = options->upto < transforms_count(options->list) ? options->upto : transforms_count(options->list);
  bool good = other ? transforms_read(other, options->compare, error) : trace_fail(error, "out of memory");
  if (good) {
    const struct transforms *lists[] = {options->list, options->list, other};
    rows[1].steps = own;
    rows[2].steps = transforms_count(other);
    for (size_t i = 0; i < 3 && good; i++)
      good = summarize(options, lists[i], rows[i].steps, &rows[i].summary, &ticks_per_second, error);
  }
  good = good && transform_show_comparison(rows, 3, ticks_per_second, options->format, error);
  transforms_free(other);
  return good;
}

static bool work(const struct options *options, const char *command, struct trace_error *error)
{
  if (options->save_list && !transforms_write(options->list, options->save_list, error))
    return false;
  if (options->output && !write_sequence(options, command, error))
    return false;
  if (options->preview)
    return show_preview(options, error);
  return !options->compare || show_comparison(options, error);
}

int command_transform(int argc, char **argv)
{
  struct options options = {
      .list = transforms_create(), .upto = SIZE_MAX, .places = PLACES_DEFAULT, .format = PRINT_TEXT};
  struct trace_error error;
  if (!options.list) {
    command_error(argv[0], "out of memory");
    return EXIT_FAULT;
  }
  int status = take_options(&options, argc, argv);
  if (status < 0) {
    status = work(&options, argv[0], &error) ? EXIT_DONE : EXIT_FAULT;
    if (status == EXIT_FAULT)
      command_error(argv[0], "%s", error.message);
    else
      status = command_printed();
  }
  transforms_free(options.list);
  return status;
}
