#include "analyzer/analyses/intervals/interval_contents.h"
#include "analyzer/analyses/intervals/intervals.h"
#include "analyzer/analyses/omitted/omitted_show.h"
#include "analyzer/command/analysis.h"
#include "analyzer/command/print/print.h"
#include "analyzer/command/shared_options.h"
#include "analyzer/command/spec_options.h"
#include "analyzer/command/values.h"
#include "analyzer/models/sequence_input.h"
#include "analyzer/models/sequence_show.h"
#include "analyzer/models/sequences/from_trace.h"
#include "analyzer/trace/stream.h"
#include "base/vector.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PES_TOP_TEXT = 20, PARAMETERS_MAX = 100 };

struct pes_options {
  const char *input, *output;
  bool of_trace; /* there is an option that only applies to a trace */
  enum pes_form form;
  struct pes_trace_options trace;
  const char *interval; /* the components follow these intervals of `spec`; NULL: others are followed */
  struct spec_asked spec;
  VECTOR(uint32_t) selected;
  char *parameters[PARAMETERS_MAX]; /* NAME=VALUE */
  size_t parameter_count;
  uint64_t top; /* 0: not given */
  bool threads_level;
  struct records_request records;
  struct shared_options shared;
  struct restriction_options restriction;
};

static int pes_take_step(struct pes_options *options, const struct option_given *given, const char *text)
{
  char *end;
  double step = *text == '=' ? strtod(text + 1, &end) : 1;
  if (*text == '=' && (end == text + 1 || *end || !(step > 0) || !isfinite(step)))
    return command_usage(given->command, "--component %s: the step is a number above 0", given->value);
  options->trace.component = PES_OF_COUNTERS;
  options->trace.step = step;
  return -1;
}

static int take_component(const struct option_given *given, void *into)
{
  struct pes_options *options = into;
  const char *value = given->value;
  options->of_trace = true;
  options->interval = strncmp(value, "interval=", 9) == 0 ? value + 9 : NULL;
  if (options->interval)
    return -1;
  if (strncmp(value, "counter", 7) == 0 && (value[7] == '\0' || value[7] == '='))
    return pes_take_step(options, given, value + 7);
  return option_word(given, into);
}

static int take_selected(struct pes_options *options, const struct option_given *given, const char *list)
{
  options->trace.vector = PES_SELECT;
  options->selected.count = 0;
  for (const char *at = list;; at++) {
    char *end;
    unsigned long number = strtoul(at, &end, 10);
    if (*at < '0' || *at > '9' || number >= TRACE_NONE || (*end != '\0' && *end != ','))
      return command_usage(given->command, "--vector select=%s: give numbers of threads, such as 0,3", list);
    if (!vector_push(&options->selected, (uint32_t)number)) {
      command_error(given->command, "out of memory");
      return EXIT_FAULT;
    }
    if (*end == '\0')
      break;
    at = end;
  }
  options->trace.selected = options->selected.items;
  options->trace.selected_count = (uint32_t)options->selected.count;
  return -1;
}

static int take_vector(const struct option_given *given, void *into)
{
  struct pes_options *options = into;
  options->of_trace = true;
  if (strncmp(given->value, "select=", 7) == 0)
    return take_selected(options, given, given->value + 7);
  return option_word(given, into);
}

static int take_form(const struct option_given *given, void *into)
{
  struct pes_options *options = into;
  options->form = PES_FIGURE;
  return given->value ? option_word(given, into) : -1;
}

static int pes_take_parameter(const struct option_given *given, void *into)
{
  struct pes_options *options = into;
  const char *equals = strchr(given->value, '=');
  if (!equals || equals == given->value)
    return command_usage(given->command, "--param %s: give NAME=VALUE", given->value);
  if (options->parameter_count == PARAMETERS_MAX)
    return command_usage(given->command, "--param: more than %d are too many", PARAMETERS_MAX);
  options->parameters[options->parameter_count++] = given->value;
  return -1;
}

/* Returns -1 to go on, else the exit status. */
static int pes_take_options(struct pes_options *options, const struct command *command, int argc, char **argv)
{
  void *const into[OPTION_SETS] = {
      [OPTIONS_OWN] = options, [OPTIONS_SHARED] = &options->shared, [OPTIONS_PART] = &options->restriction};
  int status = command_take(command, into, argc, argv);
  if (status >= 0)
    return status;
  if (options->form != PES_BINARY && !options->output)
    return command_usage(argv[0], "--csl needs -o");
  if (options->trace.vector == PES_ROLES && options->trace.component != PES_OF_STATE)
    return command_usage(argv[0], "--vector roles is for states alone: leave --component out");
  if (options->trace.vector != PES_THREADS && !pes_follows_threads(options->trace.component))
    return command_usage(argv[0], "--component %s follows no threads: leave --vector out",
                         options->trace.component == PES_OF_LOCKS ? "lock" : "counter");
  if (!options->interval != !options->spec.file)
    return command_usage(argv[0], "--component interval=NAME and --spec go together");
  if (options->interval && options->trace.vector != PES_THREADS && options->trace.vector != PES_COUNTS)
    return command_usage(argv[0], "--component interval=NAME goes with --vector threads or counts");
  options->input = argv[optind];
  return -1;
}

static bool pes_is_trace(const char *path)
{
  struct stat status;
  size_t length = strlen(path);
  return (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) ||
         (length > 5 && strcmp(path + length - 5, ".otf2") == 0);
}

struct pes_work {
  const struct pes_options *options;
  struct trace *trace; /* NULL: the input is a sequence */
  struct pool *pool;
  struct pes_stream *stream;
  struct pes_state_totals totals;
  struct running_analysis omitted; /* of an archive with weights; else without a state */
};

static bool check_selected(const struct pes_work *work, struct error *error)
{
  const struct pes_trace_options *options = &work->options->trace;
  if (options->selected_count > 0 && work->trace->location_count == 0)
    return error_set(error, "%s: the trace has no threads", work->options->input);
  for (uint32_t i = 0; i < options->selected_count; i++)
    if (options->selected[i] >= work->trace->location_count)
      return error_set(error, "%s: there is no thread %u: their numbers are 0 to %u (heddle states lists them)",
                       work->options->input, options->selected[i], work->trace->location_count - 1);
  for (uint32_t i = 0; i < options->selected_count; i++)
    if (work->trace->locations[options->selected[i]].excluded)
      return error_set(error, "--vector select=%u: %s", options->selected[i],
                       trace_is_restricted(work->trace) ? "--only-threads or --only-processes leaves the thread out"
                                                        : "this is a thread of the JVM's own: add --jvm-threads");
  return true;
}

static const struct spec_interval *find_kind(const struct specified *specified, const char *name, struct error *error)
{
  const struct spec_interval *interval = specified->spec->intervals;
  while (interval && strcmp(interval->name, name) != 0)
    interval = interval->next;
  if (!interval)
    error_set(error, "--component interval=%s: %s has no such interval", name, specified->spec->file);
  return interval;
}

/* Finds the intervals of all kinds, in one pass with the counts of omitted executions. */
static bool take_intervals(struct pes_work *work, const struct specified *specified, struct intervals_taken *taken,
                           struct error *error)
{
  const struct intervals_options wanted = {.spec = specified->spec,
                                           .plan = specified->plan,
                                           .work = SPEC_WORK_DEFAULT,
                                           .sink = intervals_take,
                                           .context = taken};
  struct intervals intervals;
  struct running_analysis finder;
  if (!running_analysis_begin(&finder, &intervals_analysis, work->trace, work->pool, &wanted, error))
    return false;
  const struct subscriber *subscribers[] = {&finder.subscriber, &work->omitted.subscriber};
  if (!pass_in_order(work->trace, work->pool, subscribers, work->omitted.state ? 2 : 1, error)) {
    running_analysis_drop(&finder, error);
    intervals_taken_why(taken, error);
    return false;
  }
  bool good = running_analysis_end(&finder, &intervals, error);
  if (!good)
    intervals_taken_why(taken, error);
  analysis_free(&intervals_analysis, &intervals);
  return good;
}

/* Returns the sequence of one kind of intervals. NULL: an error. */
static struct pes_stream *follow_intervals(struct pes_work *work, struct error *error)
{
  const struct pes_options *options = work->options;
  struct specified specified;
  struct intervals_taken taken = {0};
  VECTOR(struct pes_interval) intervals = {0};
  struct pes_stream *stream = NULL;
  const struct spec_interval *kind = NULL;
  bool good = specified_read(&options->spec, &specified, error) &&
              (kind = find_kind(&specified, options->interval, error)) &&
              take_intervals(work, &specified, &taken, error);
  for (size_t i = 0; good && i < taken.list.count; i++) {
    const struct interval_taken *one = &taken.list.items[i];
    struct pes_interval interval = {.begin = one->begin, .end = one->end, .location = one->from};
    good = one->kind != kind->index || vector_push(&intervals, interval) || error_set(error, "out of memory");
  }
  if (good)
    stream = pes_from_intervals(work->trace, intervals.items, intervals.count,
                                options->trace.vector == PES_COUNTS ? options->interval : NULL, error);
  vector_free(&intervals);
  vector_free(&taken.list);
  specified_free(&specified);
  return stream;
}

static bool open_input(struct pes_work *work, struct error *error)
{
  const struct pes_options *options = work->options;
  if (pes_is_trace(options->input)) {
    otf2_library_quiet();
    work->trace = trace_open(options->input, error);
    if (!work->trace || !analysis_has_events(work->trace, error) ||
        !restriction_options_apply(&options->restriction, work->trace, error) || !check_selected(work, error))
      return false;
    work->pool = pool_create(0);
    if (!work->pool)
      return error_set(error, "out of memory");
    work->trace->threads_level = options->threads_level;
    struct pes_trace_options trace = options->trace;
    trace.again = options->form != PES_BINARY; /* text begins with all states */
    if (work->trace->weight != OTF2_UNDEFINED_ATTRIBUTE) {
      if (!running_analysis_begin(&work->omitted, &omitted_analysis, work->trace, work->pool, NULL, error))
        return false;
      trace.also = &work->omitted.subscriber;
    }
    work->stream =
        options->interval ? follow_intervals(work, error) : pes_from_trace(work->trace, work->pool, &trace, error);
  } else if (options->of_trace || options->threads_level) {
    return error_set(error,
                     "%s: is a sequence; --component, --vector and --level are for traces (heddle transform projects)",
                     options->input);
  } else if (restriction_options_are_given(&options->restriction)) {
    return error_set(error, "%s: is a sequence; --from, --to, --only-threads and --only-processes are for traces",
                     options->input);
  } else {
    work->stream = pes_open(options->input, error);
  }
  for (size_t i = 0; work->stream && i < options->parameter_count; i++) {
    char *equals = strchr(options->parameters[i], '=');
    *equals = '\0';
    if (!pes_set_parameter(work->stream, options->parameters[i], equals + 1))
      return error_set(error, "out of memory");
  }
  if (!work->stream)
    return false;
  work->stream = pes_totals_stream(work->stream, &work->totals);
  return work->stream || error_set(error, "out of memory");
}

/* Reports the executions that the sequence lacks, after the pass. False: out of memory. */
static bool pes_put_omitted(struct pes_work *work, struct print *print)
{
  struct omitted omitted;
  char *text;
  if (!work->omitted.state)
    return true;
  struct error unused; /* sums that are there already do not fail */
  running_analysis_end(&work->omitted, &omitted, &unused);
  bool good = omitted_sentence(work->trace, &omitted, false, "The states", &text);
  if (text)
    print_sentence(print, "omitted_share", text);
  free(text);
  analysis_free(&omitted_analysis, &omitted);
  return good;
}

static bool print_pes(struct pes_work *work, struct error *error)
{
  const struct pes_options *options = work->options;
  uint64_t top = options->top ? options->top : options->shared.format == PRINT_TEXT ? PES_TOP_TEXT : UINT64_MAX;
  if (!options->output && !pes_read_through(work->stream, error))
    return false;
  struct print *print = print_open(options->shared.format, stdout, work->stream->program->ticks_per_second);
  if (!print)
    return error_set(error, "out of memory");
  bool good = (pes_show(print, work->stream, &work->totals, top) && pes_put_omitted(work, print)) ||
              error_set(error, "out of memory");
  return print_close(print) && good;
}

static int run_pes(const struct command *command, int argc, char **argv)
{
  struct pes_options options = {.form = PES_BINARY, .shared.format = PRINT_TEXT};
  struct pes_work work = {.options = &options};
  struct error error = {{0}};
  int status = pes_take_options(&options, command, argc, argv);
  if (status < 0) {
    bool good = open_input(&work, &error);
    if (good && options.output)
      good = pes_write(work.stream, options.output, options.form, &error);
    if (good && !(options.output && strcmp(options.output, "-") == 0))
      good = options.records.range.first > 0
                 ? records_show(work.stream, &options.records, options.shared.format, &error)
                 : print_pes(&work, &error);
    if (!good)
      command_failed(argv[0], error.message);
    status = good ? EXIT_DONE : EXIT_FAULT;
  }
  pes_close(work.stream);
  running_analysis_drop(&work.omitted, NULL);
  pool_destroy(work.pool);
  trace_close(work.trace);
  pes_state_totals_free(&work.totals);
  vector_free(&options.selected);
  return status;
}

static const struct command_option pes_own_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "write the sequence",
     .take = option_text,
     .at = offsetof(struct pes_options, output)},
    {.name = "csl",
     .argument = "[=DIALECT]",
     .words = "figure|grammar",
     .help = "write CSL text: figure (default) or grammar",
     .take = take_form,
     .at = offsetof(struct pes_options, form)},
    {.name = "component",
     .argument = "WHAT",
     .words = "state|construct|state+construct|lock|counter|interval=",
     .help = "subject of each component: state (default), construct or state+construct of each thread; lock: the "
             "holder of each lock. counter[=STEP]: the value of each metric, in steps of 1 or STEP. interval=NAME: the "
             "number of these open intervals of --spec, by the thread where they begin",
     .take = take_component,
     .at = offsetof(struct pes_options, trace.component)},
    OPTION_SPEC(struct pes_options, spec, "the specification that has the interval"),
    {.name = "vector",
     .argument = "HOW",
     .words = "threads|counts|roles|select=",
     .help =
         "threads (default): a component a thread; counts: the number of threads in each state. roles: the states of "
         "the initial thread and of the workers, without their numbers. select=LIST: the threads with these numbers",
     .take = take_vector,
     .at = offsetof(struct pes_options, trace.vector)},
    {.name = "param",
     .argument = "NAME=VALUE",
     .help = "a parameter of the run, beside its OMP_* settings; can be given several times",
     .take = pes_take_parameter},
    {.name = "top",
     .argument = "N",
     .help = "the N states with the most time (default: 20; JSON and CSV: all)",
     .take = option_number,
     .at = offsetof(struct pes_options, top),
     .least = 1},
    OPTION_RECORDS(struct pes_options),
    OPTION_LEVEL(struct pes_options),
    {.name = NULL}};

const struct command command_pes = {
    .name = "pes",
    .group = COMMAND_MODEL,
    .summary = "makes the sequence of states of the whole program, for models",
    .synopsis = "[OPTION]... INPUT",
    .about =
        "Makes the program execution sequence of a run: the state of the whole program from time to time.\n"
        "INPUT is a trace's directory or its .otf2 file, or a sequence (binary or CSL text, - is standard input).\n",
    .operand = "one trace (its directory or .otf2 file) or sequence",
    .least = 1,
    .most = 1,
    .options = {{.list = pes_own_options}, {.list = format_options}, RESTRICTION_OPTIONS},
    .run = run_pes,
};
