#include "analyzer/commands/model_show.h"
#include "analyzer/commands/shared_options.h"
#include "analyzer/commands/validate_against.h"
#include "analyzer/commands/validate_show.h"
#include "analyzer/options/values.h"
#include "base/count_of.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOP_TEXT = 10, REPLICATIONS = 199 };

struct own_options {
  struct markov_validate_options validate;
  uint64_t top;
  const char *against; /* the first run behind it */
};

static int take_level(const struct option_given *given, void *into)
{
  double *level = &((struct own_options *)into)->validate.level;
  if (value_real(given->value, level) && *level >= 0.001 && *level < 1)
    return -1;
  return command_usage(given->command, "--level %s: give a probability from 0.001 and below 1", given->value);
}

static int take_tolerance(const struct option_given *given, void *into)
{
  if (value_real(given->value, &((struct own_options *)into)->validate.tolerance))
    return -1;
  return command_usage(given->command, "--tolerance %s: give a number from 0", given->value);
}

static int take_unseen(const struct option_given *given, void *into)
{
  double *unseen = &((struct own_options *)into)->validate.unseen;
  if (value_real(given->value, unseen) && *unseen > 0)
    return -1;
  return command_usage(given->command, "--unseen %s: give a number above 0", given->value);
}

/* A second one would lose the run behind the first. */
static int take_against(const struct option_given *given, void *into)
{
  const char **against = &((struct own_options *)into)->against;
  if (*against)
    return command_usage(given->command, "give --against once; all runs behind it are the second group");
  *against = given->value;
  return -1;
}

static const char *const questions[MARKOV_QUESTIONS] = {[MARKOV_SHARES] = "shares of time",
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

static const char *const outcomes[] = {[MARKOV_UNTESTED] = "not tested",
                                       [MARKOV_UNSEEN] = "too few records",
                                       [MARKOV_HOLDS] = "holds",
                                       [MARKOV_DIFFERS_LITTLE] = "differs little",
                                       [MARKOV_DIFFERS] = "differs"};

static void put_tests(struct print *print, const struct markov_validation *validation)
{
  static const struct print_column columns[] = {{"question", "Question", PRINT_STRING, false},
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
  print_table(print, "tests", "Tests", columns, COUNT_OF(columns), false);
  for (int i = 0; i < MARKOV_QUESTIONS; i++) {
    const struct markov_test *test = &validation->tests[i];
    bool done = test->method != MARKOV_NO_METHOD;
    bool chi_square = test->method == MARKOV_CHI_SQUARE;
    struct print_cell cells[] = {print_string(questions[i]),
                                 print_string(outcomes[test->outcome]),
                                 done ? print_finite(test->difference) : print_none(),
                                 done ? print_finite(test->smallest) : print_none(),
                                 done ? print_real(test->p) : print_none(),
                                 has_statistic[test->method] && isfinite(test->statistic) ? print_real(test->statistic)
                                                                                          : print_none(),
                                 chi_square ? print_number((uint64_t)test->freedom) : print_none(),
                                 print_string(methods[test->method])};
    print_row(print, cells);
  }
  print_table_end(print);
}

static void put_orders(struct print *print, const struct markov_validation *validation)
{
  static const struct print_column columns[] = {{"order", "States", PRINT_COUNT, false},
                                                {"tested", "Tested", PRINT_STRING, false},
                                                {"difference", "Difference", PRINT_PROBABILITY, false},
                                                {"smallest", "Would show", PRINT_PROBABILITY, false},
                                                {"p", "p", PRINT_PROBABILITY, false},
                                                {"chi_square", "Chi-square", PRINT_PROBABILITY, false},
                                                {"g", "G", PRINT_PROBABILITY, false},
                                                {"freedom", "Freedom", PRINT_COUNT, true},
                                                {"determined", "Foreseen", PRINT_PROBABILITY, false}};
  print_table(print, "orders", "Memory: does the next state depend on more than the last states?", columns,
              COUNT_OF(columns), false);
  for (unsigned i = 0; i < MARKOV_ORDERS; i++) {
    const struct markov_order_test *test = &validation->memory.orders[i];
    bool done = test->is_tested;
    struct print_cell cells[] = {print_number(i + 1),
                                 print_string(done ? "yes" : "too few records"),
                                 print_finite(test->difference),
                                 print_finite(test->smallest),
                                 print_finite(test->p),
                                 done ? print_real(test->chi_square) : print_none(),
                                 done ? print_real(test->g) : print_none(),
                                 done ? print_number((uint64_t)test->freedom) : print_none(),
                                 print_finite(test->determined)};
    print_row(print, cells);
  }
  print_table_end(print);
}

static void put_tails(struct print *print, const struct markov_validation *validation, char **names, uint64_t shown)
{
  static const struct print_column columns[] = {
      {"state", "State", PRINT_STRING, false},        {"p", "p", PRINT_PROBABILITY, false},
      {"index", "Index", PRINT_PROBABILITY, false},   {"index_low", "from", PRINT_PROBABILITY, false},
      {"index_high", "to", PRINT_PROBABILITY, false}, {"above", "Visits", PRINT_COUNT, false},
      {"threshold", "above", PRINT_MEAN, false},      {"longest", "Longest", PRINT_PERCENT, false}};
  print_table(print, "tails", "Tails of the occupancies", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < validation->tail_count && i < shown; i++) {
    const struct markov_tail *tail = &validation->tails[i].tail;
    bool known = isfinite(tail->index);
    struct print_cell cells[] = {print_string(names[validation->tails[i].state]),
                                 print_real(tail->p),
                                 print_finite(tail->index),
                                 known ? print_real(tail->low) : print_none(),
                                 known ? print_real(tail->high) : print_none(),
                                 known ? print_number(tail->above) : print_none(),
                                 known ? print_real(tail->threshold) : print_none(),
                                 print_real(100 * tail->longest)};
    print_row(print, cells);
  }
  print_table_end(print);
}

static void put_states(struct print *print, const struct markov_validation *validation, char **names, uint64_t shown)
{
  static const struct print_column columns[] = {{"state", "State", PRINT_STRING, false},
                                                {"model_visits", "Model", PRINT_COUNT, false},
                                                {"run_visits", "Run", PRINT_COUNT, false},
                                                {"distance", "Distance", PRINT_PROBABILITY, false},
                                                {"p", "p", PRINT_PROBABILITY, false}};
  print_table(print, "occupancies", "Occupancies of single states", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < validation->state_count && i < shown; i++) {
    const struct markov_occupancy_test *test = &validation->states[i];
    struct print_cell cells[] = {print_string(names[test->state]), print_number(test->model), print_number(test->run),
                                 print_real(test->distance), print_real(test->p)};
    print_row(print, cells);
  }
  print_table_end(print);
}

static bool show(const struct markov_model *model, const struct markov_validation *validation,
                 const struct own_options *options, enum print_format format)
{
  struct print *print = print_open(format, stdout, model->program->ticks_per_second);
  char **names = model_names(model->program, model->states);
  if (print && names) {
    bool has_cycle = isfinite(validation->run_cycle);
    print_csv_facts(print);
    print_fact(print, "program", "Program", PRINT_STRING, print_string(model->program->name));
    print_fact(print, "model_records", "Records, model", PRINT_COUNT, print_number(model->records));
    print_fact(print, "run_records", "Records, run", PRINT_COUNT, print_number(validation->run->records));
    print_fact(print, "cycle_state", "Cycle of", PRINT_STRING, print_string(names[validation->reference]));
    print_fact(print, "model_cycle", "Cycle, model", PRINT_MEAN, print_real(validation->model_cycle));
    print_fact(print, "run_cycle", "Cycle, run", PRINT_MEAN,
               has_cycle ? print_real(validation->run_cycle) : print_none());
    print_fact(print, "level", "Level", PRINT_PROBABILITY, print_real(options->validate.level));
    print_fact(print, "tolerance", "Tolerance", PRINT_PROBABILITY, print_real(options->validate.tolerance));
    uint64_t top = options->top ? options->top : format == PRINT_TEXT ? TOP_TEXT : UINT32_MAX;
    put_tests(print, validation);
    put_orders(print, validation);
    put_states(print, validation, names, top);
    put_tails(print, validation, names, top);
    validate_show_verdict(print, model, validation);
  }
  bool good = print && names;
  if (!good)
    command_error("validate", "out of memory");
  if (names)
    model_names_free(names, model->states);
  return (!print || print_close(print)) && good;
}

static bool validate(const char *model_path, const char *run_path, const struct own_options *options,
                     enum print_format format, struct error *error)
{
  struct markov_model *model = markov_read(model_path, error);
  struct pes_stream *stream = model ? pes_open(run_path, error) : NULL;
  struct markov_validation *validation = stream ? markov_validate(model, stream, &options->validate, error) : NULL;
  bool good = validation && show(model, validation, options, format);
  markov_validation_free(validation);
  pes_close(stream);
  markov_model_free(model);
  return good;
}

/* The place of an argument on the command line as it was typed; getopt_long() puts options first. */
static int place_of(const char *argument, char *const *typed, int argc)
{
  int place = 0;
  while (place < argc && !(argument >= typed[place] && argument <= typed[place] + strlen(typed[place])))
    place++;
  return place;
}

/* Operands before --against are the one group, its value and operands behind it are the other. */
static bool compare(char *const *typed, int argc, char *const *operands, int count, const struct own_options *options,
                    enum print_format format, struct error *error)
{
  uint64_t top = options->top ? options->top : format == PRINT_TEXT ? TOP_TEXT : UINT32_MAX;
  struct validate_against asked = {.top = top,
                                   .format = format,
                                   .rules = {options->validate.level, options->validate.tolerance,
                                             options->validate.unseen, options->validate.seed}};
  const char **paths = calloc((size_t)count + 1, sizeof *paths);
  int border = place_of(options->against, typed, argc);
  for (int i = 0; paths && i < count && place_of(operands[i], typed, argc) < border; i++)
    paths[asked.counts[0]++] = operands[i];
  if (paths)
    paths[asked.counts[0]] = options->against;
  for (int i = (int)asked.counts[0]; paths && i < count; i++)
    paths[i + 1] = operands[i];
  asked.counts[1] = (uint32_t)count + 1 - asked.counts[0];
  asked.paths = paths;
  bool good = !paths ? error_set(error, "out of memory")
              : asked.counts[0] == 0
                  ? error_set(error, "no run is before --against: heddle validate RUN... --against RUN...")
                  : validate_against(&asked, error);
  free(paths);
  return good;
}

static int run(const struct command *command, int argc, char **argv)
{
  struct own_options options = {
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
  if (status < 0) {
    bool good = !typed            ? error_set(&error, "out of memory")
                : options.against ? compare(typed, argc, argv + optind, count, &options, shared.format, &error)
                                  : validate(argv[optind], argv[optind + 1], &options, shared.format, &error);
    if (!good)
      command_failed(argv[0], error.message);
    status = good ? EXIT_DONE : EXIT_FAULT;
  }
  free(typed);
  return status;
}

static const struct command_option own_options[] = {
    {.name = "against",
     .argument = "RUN...",
     .help = "compares the runs before it with those behind it; a run is a sequence or a trace",
     .take = take_against},
    {.name = "level",
     .argument = "P",
     .help = "the error of the first kind of all tests together (default: 0.05)",
     .take = take_level},
    {.name = "tolerance",
     .argument = "D",
     .help = "differences up to D are small enough (default: 0.05)",
     .take = take_tolerance},
    {.name = "unseen",
     .argument = "D",
     .help = "nothing holds if a difference above D could go unseen (default: 0.25)",
     .take = take_unseen},
    {.name = "seed",
     .argument = "N",
     .help = "the seed of the simulated runs (default: 1)",
     .take = option_number,
     .at = offsetof(struct own_options, validate.seed)},
    {.name = "top",
     .argument = "N",
     .help = "the N least probable states (default: 10; JSON and CSV: all)",
     .take = option_number,
     .at = offsetof(struct own_options, top),
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
    .options = {{.list = own_options}, {.list = format_options}},
    .run = run,
};
