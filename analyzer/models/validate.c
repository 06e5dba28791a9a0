#include "analyzer/command/shared_options.h"
#include "analyzer/command/values.h"
#include "analyzer/models/model_show.h"
#include "analyzer/models/validate_show.h"
#include "base/count_of.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALIDATE_TOP_TEXT = 10, REPLICATIONS = 199 };

struct validate_own_options {
  struct markov_validate_options validate;
  uint64_t top;
  const char *against; /* the first run behind it */
};

static int validate_take_level(const struct option_given *given, void *into)
{
  double *level = &((struct validate_own_options *)into)->validate.level;
  if (value_real(given->value, level) && *level >= 0.001 && *level < 1)
    return -1;
  return command_usage(given->command, "--level %s: give a probability from 0.001 and below 1", given->value);
}

/* A second value would drop the run after the first. */
static int take_against(const struct option_given *given, void *into)
{
  const char **against = &((struct validate_own_options *)into)->against;
  if (*against)
    return command_usage(given->command, "give --against once; all runs behind it are the second group");
  *against = given->value;
  return -1;
}

static const char *const validate_questions[MARKOV_QUESTIONS] = {[MARKOV_SHARES] = "shares of time",
                                                                 [MARKOV_CYCLE] = "cycle time",
                                                                 [MARKOV_TRANSITIONS] = "transitions",
                                                                 [MARKOV_OCCUPANCIES] = "occupancies",
                                                                 [MARKOV_ORDER] = "first order",
                                                                 [MARKOV_CONSECUTIVE] = "consecutive durations",
                                                                 [MARKOV_NEXT] = "duration and next state",
                                                                 [MARKOV_TAILS] = "no heavy tail",
                                                                 [MARKOV_PHASES] = "one phase"};

static const char *const methods[] = {
    [MARKOV_NO_METHOD] = "too few observations",   [MARKOV_CHI_SQUARE] = "chi-square",
    [MARKOV_KOLMOGOROV] = "Kolmogorov-Smirnov",    [MARKOV_REPLICATION] = "simulated pairs",
    [MARKOV_SPACINGS] = "spacings of the longest", [MARKOV_PERMUTATION] = "permuted blocks"};

static const char *const validate_outcomes[] = {[MARKOV_UNTESTED] = "not tested",
                                                [MARKOV_UNSEEN] = "too few records",
                                                [MARKOV_HOLDS] = "holds",
                                                [MARKOV_DIFFERS_LITTLE] = "differs little",
                                                [MARKOV_DIFFERS] = "differs"};

/* The tables have a column for the phase if the model is a series of several. */
static void validate_put_tests(struct print *print, const struct markov_comparison *comparison)
{
  static const struct print_column columns[] = {{"phase", "Phase", PRINT_NUMBER, false},
                                                {"question", "Question", PRINT_STRING, false},
                                                {"outcome", "Outcome", PRINT_STRING, false},
                                                {"difference", "Difference", PRINT_PROBABILITY, false},
                                                {"smallest", "Would show", PRINT_PROBABILITY, false},
                                                {"p", "p", PRINT_PROBABILITY, false},
                                                {"statistic", "Statistic", PRINT_PROBABILITY, false},
                                                {"freedom", "Freedom", PRINT_COUNT, true},
                                                {"method", "Method", PRINT_STRING, false}};
  static const bool has_statistic[] = {[MARKOV_CHI_SQUARE] = true,
                                       [MARKOV_KOLMOGOROV] = true,
                                       [MARKOV_REPLICATION] = true,
                                       [MARKOV_PERMUTATION] = false};
  bool alone = comparison->count == 1;
  print_table(print, "tests", "Tests", columns + alone, COUNT_OF(columns) - alone, false);
  for (uint32_t n = 0; n < comparison->count * MARKOV_QUESTIONS; n++) {
    uint32_t phase = n / MARKOV_QUESTIONS, i = n % MARKOV_QUESTIONS;
    const struct markov_validation *validation = comparison->list[phase].validation;
    if (!validation)
      continue;
    const struct markov_test *test = &validation->tests[i];
    bool done = test->method != MARKOV_NO_METHOD;
    bool chi_square = test->method == MARKOV_CHI_SQUARE;
    struct print_cell cells[] = {print_number(phase + 1),
                                 print_string(validate_questions[i]),
                                 print_string(validate_outcomes[test->outcome]),
                                 done ? print_finite(test->difference) : print_none(),
                                 done ? print_finite(test->smallest) : print_none(),
                                 done ? print_real(test->p) : print_none(),
                                 has_statistic[test->method] && isfinite(test->statistic) ? print_real(test->statistic)
                                                                                          : print_none(),
                                 chi_square ? print_number((uint64_t)test->freedom) : print_none(),
                                 print_string(methods[test->method])};
    print_row(print, cells + alone);
  }
  print_table_end(print);
}

static void validate_put_orders(struct print *print, const struct markov_comparison *comparison)
{
  static const struct print_column columns[] = {{"phase", "Phase", PRINT_NUMBER, false},
                                                {"order", "States", PRINT_COUNT, false},
                                                {"tested", "Tested", PRINT_STRING, false},
                                                {"difference", "Difference", PRINT_PROBABILITY, false},
                                                {"smallest", "Would show", PRINT_PROBABILITY, false},
                                                {"p", "p", PRINT_PROBABILITY, false},
                                                {"chi_square", "Chi-square", PRINT_PROBABILITY, false},
                                                {"g", "G", PRINT_PROBABILITY, false},
                                                {"freedom", "Freedom", PRINT_COUNT, true},
                                                {"determined", "Foreseen", PRINT_PROBABILITY, false}};
  bool alone = comparison->count == 1;
  print_table(print, "orders", "Memory: does the next state depend on more than the last states?", columns + alone,
              COUNT_OF(columns) - alone, false);
  for (uint32_t n = 0; n < comparison->count * MARKOV_ORDERS; n++) {
    uint32_t phase = n / MARKOV_ORDERS, i = n % MARKOV_ORDERS;
    if (!comparison->list[phase].validation)
      continue;
    const struct markov_order_test *test = &comparison->list[phase].validation->memory.orders[i];
    bool done = test->is_tested;
    struct print_cell cells[] = {print_number(phase + 1),
                                 print_number(i + 1),
                                 print_string(done ? "yes" : "too few records"),
                                 print_finite(test->difference),
                                 print_finite(test->smallest),
                                 print_finite(test->p),
                                 done ? print_real(test->chi_square) : print_none(),
                                 done ? print_real(test->g) : print_none(),
                                 done ? print_number((uint64_t)test->freedom) : print_none(),
                                 print_finite(test->determined)};
    print_row(print, cells + alone);
  }
  print_table_end(print);
}

/* Comparison to show, and the names of the states by phase. */
struct validate_shown {
  const struct markov_series *series;
  const struct markov_comparison *comparison;
  char **names[MARKOV_SERIES_MOST];
  uint64_t top;
};

static void put_tails_of(struct print *print, const struct validate_shown *shown, uint32_t phase, bool alone)
{
  const struct markov_validation *validation = shown->comparison->list[phase].validation;
  for (uint32_t i = 0; validation && i < validation->tail_count && i < shown->top; i++) {
    const struct markov_tail *tail = &validation->tails[i].tail;
    bool known = isfinite(tail->index);
    struct print_cell cells[] = {print_number(phase + 1),
                                 print_string(shown->names[phase][validation->tails[i].state]),
                                 print_real(tail->p),
                                 print_finite(tail->index),
                                 known ? print_real(tail->low) : print_none(),
                                 known ? print_real(tail->high) : print_none(),
                                 known ? print_number(tail->above) : print_none(),
                                 known ? print_real(tail->threshold) : print_none(),
                                 print_real(100 * tail->longest)};
    print_row(print, cells + alone);
  }
}

static void put_tails(struct print *print, const struct validate_shown *shown)
{
  static const struct print_column columns[] = {{"phase", "Phase", PRINT_NUMBER, false},
                                                {"state", "State", PRINT_STRING, false},
                                                {"p", "p", PRINT_PROBABILITY, false},
                                                {"index", "Index", PRINT_PROBABILITY, false},
                                                {"index_low", "from", PRINT_PROBABILITY, false},
                                                {"index_high", "to", PRINT_PROBABILITY, false},
                                                {"above", "Visits", PRINT_COUNT, false},
                                                {"threshold", "above", PRINT_MEAN, false},
                                                {"longest", "Longest", PRINT_PERCENT, false}};
  bool alone = shown->comparison->count == 1;
  print_table(print, "tails", "Tails of the occupancies", columns + alone, COUNT_OF(columns) - alone, false);
  for (uint32_t i = 0; i < shown->comparison->count; i++)
    put_tails_of(print, shown, i, alone);
  print_table_end(print);
}

static void put_states_of(struct print *print, const struct validate_shown *shown, uint32_t phase, bool alone)
{
  const struct markov_validation *validation = shown->comparison->list[phase].validation;
  for (uint32_t i = 0; validation && i < validation->state_count && i < shown->top; i++) {
    const struct markov_occupancy_test *test = &validation->states[i];
    struct print_cell cells[] = {print_number(phase + 1),    print_string(shown->names[phase][test->state]),
                                 print_number(test->model),  print_number(test->run),
                                 print_real(test->distance), print_real(test->p)};
    print_row(print, cells + alone);
  }
}

static void validate_put_states(struct print *print, const struct validate_shown *shown)
{
  static const struct print_column columns[] = {{"phase", "Phase", PRINT_NUMBER, false},
                                                {"state", "State", PRINT_STRING, false},
                                                {"model_visits", "Model", PRINT_COUNT, false},
                                                {"run_visits", "Run", PRINT_COUNT, false},
                                                {"distance", "Distance", PRINT_PROBABILITY, false},
                                                {"p", "p", PRINT_PROBABILITY, false}};
  bool alone = shown->comparison->count == 1;
  print_table(print, "occupancies", "Occupancies of single states", columns + alone, COUNT_OF(columns) - alone, false);
  for (uint32_t i = 0; i < shown->comparison->count; i++)
    put_states_of(print, shown, i, alone);
  print_table_end(print);
}

static void validate_put_facts(struct print *print, const struct validate_shown *shown,
                               const struct validate_own_options *options)
{
  const struct markov_model *model = shown->series->models[0];
  const struct markov_comparison *comparison = shown->comparison;
  const struct markov_validation *validation = comparison->list[0].validation;
  uint64_t records = 0;
  for (uint32_t i = 0; i < comparison->count; i++)
    records += comparison->list[i].records;
  print_csv_facts(print);
  print_fact(print, "program", "Program", PRINT_STRING, print_string(model->program->name));
  print_fact(print, "model_records", "Records, model", PRINT_COUNT, print_number(markov_series_records(shown->series)));
  print_fact(print, "run_records", "Records, run", PRINT_COUNT, print_number(records));
  if (comparison->count == 1) {
    bool has_cycle = isfinite(validation->run_cycle);
    print_fact(print, "cycle_state", "Cycle of", PRINT_STRING, print_string(shown->names[0][validation->reference]));
    print_fact(print, "model_cycle", "Cycle, model", PRINT_MEAN, print_real(validation->model_cycle));
    print_fact(print, "run_cycle", "Cycle, run", PRINT_MEAN,
               has_cycle ? print_real(validation->run_cycle) : print_none());
  }
  print_fact(print, "level", "Level", PRINT_PROBABILITY, print_real(options->validate.level));
  print_fact(print, "tolerance", "Tolerance", PRINT_PROBABILITY, print_real(options->validate.tolerance));
}

/* Prints the length and the cycle of each phase of a series. */
static void validate_put_phases(struct print *print, const struct validate_shown *shown)
{
  static const struct print_column columns[] = {{"phase", "Phase", PRINT_NUMBER, false},
                                                {"model_records", "Records, model", PRINT_COUNT, false},
                                                {"run_records", "run", PRINT_COUNT, false},
                                                {"first", "First, run", PRINT_COUNT, true},
                                                {"model_duration", "Duration, model", PRINT_DURATION, false},
                                                {"run_duration", "run", PRINT_MEAN, false},
                                                {"cycle_state", "Cycle of", PRINT_STRING, true},
                                                {"model_cycle", "model", PRINT_MEAN, true},
                                                {"run_cycle", "run", PRINT_MEAN, true}};
  const struct markov_comparison *comparison = shown->comparison;
  if (comparison->count == 1)
    return;
  print_table(print, "phases", "Phases", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < comparison->count; i++) {
    const struct markov_segment *segment = &comparison->list[i];
    const struct markov_validation *validation = segment->validation;
    struct print_cell cells[] = {print_number(i + 1),
                                 print_number(shown->series->models[i]->records),
                                 print_number(segment->records),
                                 validation ? print_number(segment->first + 1) : print_none(),
                                 print_number(shown->series->models[i]->duration),
                                 print_real(validation ? (double)validation->run->duration : 0),
                                 validation ? print_string(shown->names[i][validation->reference]) : print_none(),
                                 validation ? print_finite(validation->model_cycle) : print_none(),
                                 validation ? print_finite(validation->run_cycle) : print_none()};
    print_row(print, cells);
  }
  print_table_end(print);
}

static bool validate_show(struct validate_shown *shown, const struct validate_own_options *options,
                          enum print_format format)
{
  struct print *print = print_open(format, stdout, shown->series->models[0]->program->ticks_per_second);
  bool good = print;
  for (uint32_t i = 0; i < shown->series->count; i++) {
    shown->names[i] = model_names(shown->series->models[i]->program, shown->series->models[i]->states);
    good = good && shown->names[i];
  }
  if (good) {
    shown->top = options->top ? options->top : format == PRINT_TEXT ? VALIDATE_TOP_TEXT : UINT32_MAX;
    validate_put_facts(print, shown, options);
    validate_put_phases(print, shown);
    validate_put_tests(print, shown->comparison);
    validate_put_orders(print, shown->comparison);
    validate_put_states(print, shown);
    put_tails(print, shown);
    validate_show_verdict(print, shown->series, shown->comparison);
  } else {
    command_error("validate", "out of memory");
  }
  for (uint32_t i = 0; i < shown->series->count; i++) {
    if (shown->names[i])
      model_names_free(shown->names[i], shown->series->models[i]->states);
  }
  return (!print || print_close(print)) && good;
}

static bool validate(const char *model_path, const char *run_path, const struct validate_own_options *options,
                     enum print_format format, struct error *error)
{
  struct markov_series *series = markov_read(model_path, error);
  struct pes_stream *stream = series ? pes_open(run_path, error) : NULL;
  struct markov_comparison *comparison =
      stream ? markov_series_compare(series, stream, &options->validate, error) : NULL;
  struct validate_shown shown = {.series = series, .comparison = comparison};
  bool good = comparison && validate_show(&shown, options, format);
  markov_comparison_free(comparison);
  pes_close(stream);
  markov_series_free(series);
  return good;
}

/* Returns the position of an argument on the command line as typed; getopt_long() puts options first. */
static int validate_place_of(const char *argument, char *const *typed, int argc)
{
  int place = 0;
  while (place < argc && !(argument >= typed[place] && argument <= typed[place] + strlen(typed[place])))
    place++;
  return place;
}

/* Operands before --against are one group; its value and operands after it are the other. */
static bool validate_compare(char *const *typed, int argc, char *const *operands, int count,
                             const struct validate_own_options *options, enum print_format format, struct error *error)
{
  uint64_t top = options->top ? options->top : format == PRINT_TEXT ? VALIDATE_TOP_TEXT : UINT32_MAX;
  struct validate_against asked = {.top = top,
                                   .format = format,
                                   .rules = {options->validate.level, options->validate.tolerance,
                                             options->validate.unseen, options->validate.seed}};
  const char **paths = calloc((size_t)count + 1, sizeof *paths);
  int border = validate_place_of(options->against, typed, argc);
  for (int i = 0; paths && i < count && validate_place_of(operands[i], typed, argc) < border; i++)
    paths[asked.counts[0]++] = operands[i];
  if (paths)
    paths[asked.counts[0]] = options->against;
  for (int i = (int)asked.counts[0]; paths && i < count; i++)
    paths[i + 1] = operands[i];
  asked.counts[1] = (uint32_t)count + 1 - asked.counts[0];
  asked.paths = paths;
  bool good = paths ? validate_against(&asked, error) : error_set(error, "out of memory");
  free(paths);
  return good;
}

static int validate_run(const struct command *command, int argc, char **argv)
{
  struct validate_own_options options = {
      .validate = {.level = 0.05, .tolerance = 0.05, .unseen = 0.25, .seed = 1, .replications = REPLICATIONS}};
  struct shared_options shared = {.format = PRINT_TEXT};
  struct error error = {{0}};
  char **typed = calloc((size_t)argc + 1, sizeof *typed);
  if (typed)
    memcpy(typed, argv, (size_t)argc * sizeof *typed);
  int status = command_take(command, (void *[OPTION_SETS]){&options, &shared}, argc, argv);
  int count = argc - optind;
  if (status < 0 && !options.against && count != 2)
    status = count < 2 ? command_usage(argv[0], "give %s", command->operand)
                       : command_usage(argv[0], "give %s (%s is one too many)", command->operand, argv[optind + 2]);
  if (status < 0 && options.against && typed &&
      (count == 0 || validate_place_of(argv[optind], typed, argc) > validate_place_of(options.against, typed, argc)))
    status = command_usage(argv[0], "no run is before --against: heddle validate RUN... --against RUN...");
  if (status < 0) {
    bool good = !typed            ? error_set(&error, "out of memory")
                : options.against ? validate_compare(typed, argc, argv + optind, count, &options, shared.format, &error)
                                  : validate(argv[optind], argv[optind + 1], &options, shared.format, &error);
    if (!good)
      command_failed(argv[0], error.message);
    status = good ? EXIT_DONE : EXIT_FAULT;
  }
  free(typed);
  return status;
}

static const struct command_option validate_own_options[] = {
    {.name = "against",
     .argument = "RUN...",
     .help = "compare the runs before this option with the runs after it; a run is a sequence or a trace",
     .take = take_against},
    {.name = "level",
     .argument = "P",
     .help = "the error of the first kind of all tests together (default: 0.05)",
     .take = validate_take_level},
    {.name = "seed",
     .argument = "N",
     .help = "the seed of the simulated runs (default: 1)",
     .take = option_number,
     .at = offsetof(struct validate_own_options, validate.seed)},
    {.name = "top",
     .argument = "N",
     .help = "the N least probable states (default: 10; JSON and CSV: all)",
     .take = option_number,
     .at = offsetof(struct validate_own_options, top),
     .least = 1,
     .most = UINT32_MAX},
    {.name = NULL}};

const struct command command_validate = {
    .name = "validate",
    .group = COMMAND_COMPARE,
    .summary = "tests whether a run fits a model, or runs behave the same",
    .synopsis = "[OPTION]... MODEL FILE\n       heddle validate [OPTION]... RUN... --against RUN...",
    .about =
        "Tests whether the run in FILE (heddle pes) fits the model (heddle model -o). Compares shares of time, cycle "
        "time,\n"
        "transitions and occupancies, tests whether the past matters, and prints what the model may be used for.\n"
        "With --against, tests whether two runs, or two groups of runs, behave the same, and prints what differs "
        "first.\n",
    .operand = "a model, as `heddle model -o` writes it, and a sequence; or runs before and behind --against",
    .options = {{.list = validate_own_options}, {.list = format_options}},
    .run = validate_run,
};
