#include "analyzer/command/print/print.h"
#include "analyzer/command/shared_options.h"
#include "analyzer/command/values.h"
#include "analyzer/findings/all_analyses.h"
#include "analyzer/models/markov/markov.h"
#include "analyzer/models/phases_show.h"
#include "analyzer/models/sequence_input.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/restriction.h"
#include "base/count_of.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One construct in one phase. */
struct figures {
  uint64_t calls;
  double part;      /* its elapsed time, per cent of the phase's duration */
  double imbalance; /* per cent */
};

struct reading {
  struct print *print;
  const struct markov_phases *phases;
  struct figures *now, *before; /* by region; NULL: none yet */
  uint32_t count;
};

static const struct print_column phases_constructs_columns[] = {
    {"phase", "Phase", PRINT_NUMBER, false},          {"construct", "Construct", PRINT_STRING, false},
    {"executions", "Executions", PRINT_COUNT, false}, {"elapsed", "Elapsed", PRINT_DURATION, false},
    {"part", "of the phase", PRINT_PERCENT, false},   {"imbalance", "Imbalance", PRINT_PERCENT, false}};

static void put_phase(struct reading *reading, uint32_t number, const struct trace *trace,
                      const struct imbalance *imbalance)
{
  double duration = (double)reading->phases->list[number].duration;
  for (uint32_t i = 0; i < imbalance->count && i < reading->count; i++) {
    const struct imbalance_construct *construct = &imbalance->constructs[i];
    struct figures *own = &reading->now[i];
    *own = (struct figures){0};
    if (construct->calls == 0)
      continue;
    *own = (struct figures){construct->calls, duration > 0 ? 100 * (double)construct->elapsed / duration : 0,
                            imbalance_percent(construct)};
    struct print_cell cells[] = {print_number(number + 1), print_string(trace->regions[i].name),
                                 print_number(own->calls), print_number((uint64_t)construct->elapsed),
                                 print_real(own->part),    print_real(own->imbalance)};
    print_row(reading->print, cells);
  }
}

/* Returns the construct whose share of the time changed most, or else the one whose imbalance changed most. */
static char *say_change(const struct reading *reading, uint32_t number, const struct trace *trace)
{
  uint32_t most = TRACE_NONE;
  double change = 0;
  char *text = NULL;
  for (uint32_t i = 0; i < reading->count; i++) {
    const struct figures *before = &reading->before[i], *now = &reading->now[i];
    double both = fmax(fabs(now->part - before->part),
                       fabs(now->imbalance - before->imbalance) * fmin(now->part, before->part) / 100);
    if (both > change) {
      change = both;
      most = i;
    }
  }
  if (most != TRACE_NONE &&
      asprintf(
          &text,
          "From phase %u to phase %u, %s changed most: from %.1f to %.1f %% of the time, its imbalance from %.1f to "
          "%.1f %%.",
          number, number + 1, trace->regions[most].name, reading->before[most].part, reading->now[most].part,
          reading->before[most].imbalance, reading->now[most].imbalance) < 0)
    text = NULL;
  return text;
}

/* Opens the archive for one phase: a restriction is set once. */
static bool read_phase(struct reading *reading, const char *path, uint32_t number, char **sentence, struct error *error)
{
  const struct markov_phase *phase = &reading->phases->list[number];
  bool last = number + 1 == reading->phases->count;
  const struct run_analyses_options asked = {.also_count = 0};
  struct run_analyses all;
  struct trace *trace = trace_open(path, error);
  struct pool *pool = trace ? pool_create(0) : NULL;
  bool good = pool || (!trace ? false : error_set(error, "out of memory"));
  if (good) {
    trace_restrict_time(trace, phase->begin, last ? UINT64_MAX : phase->begin + phase->duration);
    if (!reading->now) {
      reading->count = trace->region_count;
      reading->now = calloc((size_t)reading->count + 1, sizeof *reading->now);
      reading->before = calloc((size_t)reading->count + 1, sizeof *reading->before);
    }
    good = (reading->now && reading->before) || error_set(error, "out of memory");
  }
  if (good) {
    good = run_analyses(trace, pool, &asked, &all, error);
    if (good) {
      put_phase(reading, number, trace, all.results.imbalance);
      *sentence = number > 0 ? say_change(reading, number, trace) : NULL;
    }
    run_analyses_free(&all);
  }
  pool_destroy(pool);
  trace_close(trace);
  return good;
}

/*
 * Reads the phases of the trace one by one, each in its own pass, and prints the constructs that changed. False: an
 * error.
 */
static bool phases_put_constructs(struct print *print, const char *path, const struct markov_phases *phases,
                                  struct error *error)
{
  struct reading reading = {.print = print, .phases = phases};
  char **sentences = calloc((size_t)phases->count + 1, sizeof *sentences);
  bool good = sentences || error_set(error, "out of memory");
  print_table(print, "constructs", "Constructs of the phases", phases_constructs_columns,
              COUNT_OF(phases_constructs_columns), false);
  for (uint32_t i = 0; good && i < phases->count; i++) {
    good = read_phase(&reading, path, i, &sentences[i], error);
    struct figures *swapped = reading.before;
    reading.before = reading.now;
    reading.now = swapped;
  }
  print_table_end(print);
  for (uint32_t i = 0; sentences && i < phases->count; i++) {
    char key[32];
    snprintf(key, sizeof key, "changed_%u", i);
    if (sentences[i])
      print_sentence(print, key, sentences[i]);
    free(sentences[i]);
  }
  free(sentences);
  free(reading.now);
  free(reading.before);
  return good;
}

enum { PHASES_TOP_TEXT = 5 };

struct phases_own_options {
  struct markov_change_options find;
  uint64_t top;
  struct shared_options shared;
};

static int phases_take_level(const struct option_given *given, void *into)
{
  double *level = &((struct phases_own_options *)into)->find.level;
  if (value_real(given->value, level) && *level >= 0.001 && *level < 1)
    return -1;
  return command_usage(given->command, "--level %s: give a probability from 0.001 and below 1", given->value);
}

struct phases_work {
  const struct phases_own_options *options;
  const char *path;
  struct sequence_input input;
  struct pool *pool;
  struct phases_view view;
};

static bool phases_show(const struct phases_work *work, struct error *error)
{
  const struct phases_own_options *options = work->options;
  uint64_t top = options->top ? options->top : options->shared.format == PRINT_TEXT ? PHASES_TOP_TEXT : UINT64_MAX;
  struct print *print = print_open(options->shared.format, stdout, work->input.stream->program->ticks_per_second);
  if (!print)
    return error_set(error, "out of memory");
  bool good = phases_view_put(print, &work->view, top) || error_set(error, "out of memory");
  good = good && (!work->input.trace || phases_put_constructs(print, work->path, work->view.phases, error));
  if (good)
    phases_view_put_sentence(print, &work->view);
  return print_close(print) && good;
}

static bool phases_find(struct phases_work *work, struct error *error)
{
  if (!sequence_input_open(&work->input, work->path, &work->pool, error))
    return false;
  work->view = (struct phases_view){.stream = work->input.stream, .options = &work->options->find};
  return phases_view_find(&work->view, error);
}

static int phases_run(const struct command *command, int argc, char **argv)
{
  struct phases_own_options options = {.find = markov_change_usual, .shared.format = PRINT_TEXT};
  struct error error = {{0}};
  int status = command_take(command, (void *[OPTION_SETS]){&options, &options.shared}, argc, argv);
  if (status >= 0)
    return status;
  struct phases_work work = {.options = &options, .path = argv[optind]};
  bool good = phases_find(&work, &error) && phases_show(&work, &error);
  if (!good)
    command_failed(argv[0], error.message);
  phases_view_free(&work.view);
  sequence_input_close(&work.input);
  pool_destroy(work.pool);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option phases_own_options[] = {
    {.name = "level",
     .argument = "P",
     .help = "the probability of a change that is none (default: 0.05)",
     .take = phases_take_level},
    {.name = "seed",
     .argument = "N",
     .help = "the seed of the permutations (default: 1)",
     .take = option_number,
     .at = offsetof(struct phases_own_options, find.seed)},
    {.name = "top",
     .argument = "N",
     .help = "the N states of most time of each phase (default: 5; JSON and CSV: all)",
     .take = option_number,
     .at = offsetof(struct phases_own_options, top),
     .least = 1},
    {.name = NULL}};

const struct command command_phases = {
    .name = "phases",
    .group = COMMAND_MODEL,
    .summary = "prints where a run changes, and the differences",
    .synopsis = "[OPTION]... INPUT",
    .about =
        "Prints the phases of a run: where the parts of time, of transitions or the durations change, the states and "
        "the\n"
        "period of each phase, and, for a trace, its constructs with their imbalance.\n"
        "INPUT is a trace's directory or its .otf2 file, or a sequence (heddle pes).\n",
    .operand = "one trace (its directory or .otf2 file) or sequence",
    .least = 1,
    .most = 1,
    .options = {{.list = phases_own_options}, {.list = format_options}},
    .run = phases_run,
};
