#include "analyzer/command/shared_options.h"
#include "analyzer/command/values.h"
#include "analyzer/models/model_components.h"
#include "analyzer/models/model_show.h"
#include "base/count_of.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { ALL_PAIRS_MAX = 100 };

struct model_own_options {
  struct markov_options rules;
  bool any, dot, svg, has_rules;
  bool choose_order, phases, components;
  uint64_t phase; /* 0: all */
  uint64_t order; /* 0: not given */
  struct markov_criterion criterion;
  struct markov_changes changes; /* found by --phases */
  const char *output, *passage, *occupancy;
  bool rules_only;
  const char *foreseen; /* the component whose values the rules foresee; NULL: the next state */
};

static int take_rules(const struct option_given *given, void *into)
{
  struct model_own_options *options = into;
  options->rules_only = true;
  options->foreseen = given->value;
  return -1;
}

/* Takes an option for counting sequences. A model as input is counted already and excludes it. */
static int take_rule(const struct option_given *given, void *into)
{
  struct model_own_options *options = into;
  options->has_rules = true;
  return (given->option->words ? option_word : option_flag)(given, into);
}

static int take_deviation(const struct option_given *given, void *into)
{
  struct model_own_options *options = into;
  options->has_rules = true;
  return option_second(given, into);
}

static int take_order(const struct option_given *given, void *into)
{
  struct model_own_options *options = into;
  options->has_rules = true;
  options->choose_order = strcmp(given->value, "auto") == 0;
  if (options->choose_order || value_number(given->value, 1, MARKOV_ORDER_MOST, &options->order))
    return -1;
  return command_usage(given->command, "--order %s: give a number from 1 to %d, or auto", given->value,
                       MARKOV_ORDER_MOST);
}

/*
 * True if the file begins like a model. False also for an unreadable file, whose error the caller reports, and for a
 * file that can be read only once, such as a pipe.
 */
static bool looks_like_model(const char *path)
{
  struct stat status;
  bool again = stat(path, &status) == 0 && S_ISREG(status.st_mode);
  FILE *file = again ? fopen(path, "r") : NULL;
  int first = file ? fgetc(file) : EOF;
  if (file)
    fclose(file);
  return first == '{';
}

/* Reads all runs for the order that suits them best. False: an error. */
static bool choose_order(struct model_own_options *options, char **paths, int count, struct error *error)
{
  bool good = true;
  for (int i = 0; good && options->choose_order && i < count; i++) {
    struct error why = {{0}};
    if (strcmp(paths[i], "-") == 0)
      return error_set(error, "--order auto reads runs twice; give a file, not -");
    struct pes_stream *stream = pes_open(paths[i], error);
    good = stream && (markov_criterion_add(&options->criterion, stream, &why) ||
                      error_set(error, "%s: %s", paths[i], why.message));
    pes_close(stream);
  }
  if (options->choose_order)
    options->order = markov_criterion_best(&options->criterion);
  return good;
}

static struct markov_model *build_one(struct model_own_options *options, char **paths, int count,
                                      struct markov_spread **spread, struct error *error)
{
  struct markov_builder *builder = markov_builder_create(&options->rules, options->any);
  bool good = (builder || error_set(error, "out of memory")) && choose_order(options, paths, count, error);
  if (good)
    markov_builder_set_order(builder, (unsigned)options->order);
  for (int i = 0; good && i < count; i++) {
    struct pes_stream *stream = pes_open(paths[i], error);
    good = stream && markov_builder_add(builder, paths[i], stream, error);
    pes_close(stream);
  }
  struct markov_model *model = good ? markov_builder_finish(builder, spread, error) : NULL;
  markov_builder_free(builder);
  return model;
}

/* A model for each phase of the run. */
static struct markov_series *build_phases(struct model_own_options *options, const char *path, struct error *error)
{
  struct error why = {{0}};
  struct pes_stream *stream = choose_order(options, (char *[]){(char *)path}, 1, error) ? pes_open(path, error) : NULL;
  if (!stream)
    return NULL;
  struct markov_phases *phases = markov_phases_find(stream, &markov_change_usual, &why);
  struct markov_series *series =
      phases ? markov_series_of(stream, phases, &options->rules, (unsigned)options->order, &why) : NULL;
  if (phases)
    options->changes = phases->changes;
  if (!series)
    error_set(error, "%s: %s", path, why.message);
  markov_phases_free(phases);
  pes_close(stream);
  return series;
}

/* One phase for --phase. Takes over the series. */
static struct markov_series *pick(const struct model_own_options *options, struct markov_series *series,
                                  struct error *error)
{
  if (!series || options->phase == 0)
    return series;
  struct markov_series *picked = NULL;
  if (options->phase > series->count) {
    error_set(error, "--phase %llu: the model has %u phase%s", (unsigned long long)options->phase, series->count,
              series->count == 1 ? "" : "s");
  } else {
    struct markov_model *model = series->models[options->phase - 1];
    series->models[options->phase - 1] = series->models[--series->count];
    picked = markov_series_of_one(model);
    if (!picked)
      error_set(error, "out of memory");
  }
  markov_series_free(series);
  return picked;
}

static struct markov_series *build(struct model_own_options *options, char **paths, int count,
                                   struct markov_spread **spread, struct error *error)
{
  if (options->phases)
    return pick(options, build_phases(options, paths[0], error), error);
  if (count == 1 && !options->has_rules && looks_like_model(paths[0]))
    return pick(options, markov_read(paths[0], error), error);
  struct markov_model *model = build_one(options, paths, count, spread, error);
  struct markov_series *series = model ? markov_series_of_one(model) : NULL;
  if (model && !series)
    error_set(error, "out of memory");
  return pick(options, series, error);
}

/* Finds the changes of a run in a separate reading. Models and standard input are not read again. False: an error. */
static bool find_changes(const struct model_own_options *options, const char *path, struct markov_changes *changes,
                         struct error *error)
{
  changes->count = 0;
  if (strcmp(path, "-") == 0 || looks_like_model(path))
    return true;
  struct pes_stream *stream = pes_open(path, error);
  struct markov_model *run = stream ? markov_model_of(stream, &options->rules, error) : NULL;
  bool good = run && markov_phases_changes(stream, run, &markov_change_usual, changes, error);
  markov_model_free(run);
  pes_close(stream);
  return good;
}

/* Reports the phases that --phases found. */
static void put_found(struct print *print, const struct model_own_options *options, uint32_t count)
{
  const struct markov_changes *changes = &options->changes;
  char text[256];
  if (!changes->is_tested)
    snprintf(text, sizeof text, "Too few records to say whether the run changes: the model has one phase.");
  else if (changes->count == 0)
    snprintf(
        text, sizeof text,
        "No change is found (p = %.2g): the model has one phase. A change of the parts of time by %.2g in the middle "
        "of the run would have shown.",
        changes->first.p, changes->smallest);
  else if (count > 1)
    snprintf(text, sizeof text, "The run has %u phases, with a model each.", count);
  else
    snprintf(text, sizeof text, "The run has %u phases; this is the model of phase %llu.", changes->count + 1,
             (unsigned long long)options->phase);
  print_sentence(print, "found", text);
}

/* Warns of runs with several phases, which a model does not describe. False: an error. */
static bool model_put_phases(struct print *print, const struct model_own_options *options, char **paths, int count,
                             struct error *error)
{
  char text[512];
  int changing = 0, first = 0;
  uint32_t phases = 0;
  for (int i = 0; i < count; i++) {
    struct markov_changes changes;
    if (!find_changes(options, paths[i], &changes, error))
      return false;
    if (changes.count > 0 && changing++ == 0) {
      first = i;
      phases = changes.count + 1;
    }
  }
  if (changing == 0)
    return true;
  snprintf(
      text, sizeof text,
      "%d of %d run%s change%s: %s has %u phases, and the model describes none of them. See heddle phases, and model "
      "each phase apart: heddle model --phases.",
      changing, count, count > 1 ? "s" : "", changing > 1 ? "" : "s", paths[first], phases);
  print_sentence(print, "phases", text);
  return true;
}

/* Reports why this order was chosen. */
static void model_put_orders(struct print *print, const struct model_own_options *options)
{
  static const struct print_column columns[] = {{"order", "Order", PRINT_COUNT, false},
                                                {"log_likelihood", "Log likelihood", PRINT_REAL, false},
                                                {"parameters", "Parameters", PRINT_COUNT, false},
                                                {"bic", "BIC", PRINT_REAL, false}};
  const struct markov_criterion *criterion = &options->criterion;
  char text[256];
  if (!options->choose_order)
    return;
  print_table(print, "orders", "Orders", columns, COUNT_OF(columns), false);
  for (unsigned order = 1; order <= criterion->most; order++) {
    struct print_cell cells[] = {print_number(order), print_real(criterion->log_likelihood[order - 1]),
                                 print_number((uint64_t)criterion->parameters[order - 1]),
                                 print_real(markov_criterion_value(criterion, order))};
    print_row(print, cells);
  }
  print_table_end(print);
  snprintf(
      text, sizeof text,
      "Order %u has the least BIC of orders 1 to %u: more states back do not foresee enough more to be worth their "
      "parameters.",
      (unsigned)options->order, criterion->most);
  print_sentence(print, "order_why", text);
}

static bool find_state(const struct markov_model *model, const char *name, uint32_t *state, struct error *error)
{
  uint32_t count;
  *state = pes_states_find(model->program, model->states, name, &count);
  if (*state != PES_NONE && markov_state_is_used(model, *state))
    return true;
  return error_set(
      error, count > 1 ? "several states are called %s: give the number, as #3" : "the model has no state %s", name);
}

static bool put_more(struct print *print, const struct model_view *view, const struct model_own_options *options,
                     struct error *error)
{
  uint32_t state;
  if (options->occupancy) {
    if (!find_state(view->model, options->occupancy, &state, error))
      return false;
    if (!model_show_occupancy(print, view, state))
      return error_set(error, "out of memory");
  }
  if (!options->passage)
    return true;
  bool all = strcmp(options->passage, "all") == 0;
  if (all && view->chain->used > ALL_PAIRS_MAX)
    return error_set(error, "%u states are too many for all passages; give --passage a state", view->chain->used);
  state = PES_NONE;
  if (!all && !find_state(view->model, options->passage, &state, error))
    return false;
  return model_show_passage(print, view, state) || error_set(error, "out of memory");
}

static bool put_svg(const struct model_view *view, struct error *error)
{
  static const char missing[] =
      "cannot draw the graph: `dot` is missing or failed (Debian: graphviz); --dot writes its input";
  if (system("command -v dot >/dev/null 2>&1") != 0)
    return error_set(error, "%s", missing);
  fflush(stdout);
  signal(SIGPIPE, SIG_IGN);
  FILE *pipe = popen("dot -Tsvg", "w");
  if (!pipe)
    return error_set(error, "%s", missing);
  model_put_dot(pipe, view);
  int status = pclose(pipe);
  return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || error_set(error, "%s", missing);
}

/* Prints what needs a single model. False: an error. */
static bool check_alone(const struct model_own_options *options, uint32_t count, struct error *error)
{
  const char *name = options->dot         ? "--dot"
                     : options->svg       ? "--svg"
                     : options->passage   ? "--passage"
                     : options->occupancy ? "--occupancy"
                                          : NULL;
  return count == 1 || !name ||
         error_set(error, "%s shows one model, and this one has %u phases: add --phase N", name, count);
}

static bool print_models(const struct model_view *views, uint32_t phases, const struct model_own_options *options,
                         char **paths, int count, struct error *error)
{
  const struct model_view *view = &views[0];
  if (!check_alone(options, phases, error))
    return false;
  if (options->svg)
    return put_svg(view, error);
  if (options->dot) {
    model_put_dot(stdout, view);
    return command_printed() == EXIT_DONE;
  }
  struct print *print = print_open(view->format, stdout, view->model->program->ticks_per_second);
  if (!print)
    return error_set(error, "out of memory");
  if (phases > 1)
    model_show_series(print, views, phases);
  else
    model_show(print, view);
  model_put_orders(print, options);
  bool good = true;
  if (options->phases)
    put_found(print, options, phases);
  else
    good = model_put_phases(print, options, paths, count, error);
  good = good && put_more(print, view, options, error);
  return print_close(print) && good;
}

/* Checks for options that exclude all others. Returns the exit status of a wrong usage, or -1. */
static int check_usage(const char *name, const struct model_own_options *options, enum print_format format,
                       char **paths, int count)
{
  if (options->dot + options->svg + (format != PRINT_TEXT) > 1)
    return command_usage(name, "--json, --csv, --dot and --svg exclude each other");
  const char *option = options->phases ? "--phases" : options->components ? "--components" : NULL;
  if (option && (count > 1 || strcmp(paths[0], "-") == 0))
    return command_usage(name, "%s takes the file of one run, not %s", option,
                         count > 1 ? "several" : "-, which is read once");
  bool shows_one = options->any || options->phases || options->phase || options->output || options->passage ||
                   options->occupancy || options->dot || options->svg || options->order || options->choose_order;
  if (options->components && shows_one)
    return command_usage(name,
                         "--components shows all components, and goes with --terminal, --deviation, --ends, --json "
                         "and --csv alone");
  return -1;
}

static int print_rules(const struct model_own_options *options, int count, char **argv, enum print_format format)
{
  struct error error = {{0}};
  if (count != 1 || options->has_rules || options->output || options->passage || options->occupancy || options->dot ||
      options->svg || options->phases || options->components || options->phase)
    return command_usage(argv[0], "--rules goes with one sequence or trace, and with --json and --csv alone");
  if (model_rules(argv[optind], options->foreseen, format, &error))
    return EXIT_DONE;
  command_failed(argv[0], error.message);
  return EXIT_FAULT;
}

static int model_run(const struct command *command, int argc, char **argv)
{
  struct model_own_options options = {0};
  struct shared_options shared = {.format = PRINT_TEXT};
  struct model_view views[MARKOV_SERIES_MOST] = {0};
  struct markov_spread *spread = NULL;
  struct error error = {{0}};
  int status = command_take(command, (void *[OPTION_SETS]){&options, &shared}, argc, argv);
  if (status >= 0)
    return status;
  status = check_usage(argv[0], &options, shared.format, argv + optind, argc - optind);
  if (status >= 0)
    return status;
  if (options.rules_only)
    return print_rules(&options, argc - optind, argv, shared.format);
  if (options.components) {
    if (model_components(argv[optind], &options.rules, shared.format, &error))
      return EXIT_DONE;
    command_failed(argv[0], error.message);
    return EXIT_FAULT;
  }
  struct markov_series *series = build(&options, argv + optind, argc - optind, &spread, &error);
  bool good = series && (!options.output || markov_write(series, options.output, &error));
  if (good) {
    good = model_views_open(views, series, shared.format) || error_set(&error, "out of memory");
    views[0].spread = spread;
    good = good && print_models(views, series->count, &options, argv + optind, argc - optind, &error);
  }
  if (!good)
    command_failed(argv[0], error.message);
  model_views_close(views, series ? series->count : 0);
  markov_spread_free(spread);
  markov_series_free(series);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option model_own_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "also write the model, for simulate, validate and whatif",
     .take = option_text,
     .at = offsetof(struct model_own_options, output)},
    {.name = "terminal",
     .words = "drop|keep",
     .help = "drop or keep the transition into the terminal state (default: drop)",
     .take = take_rule,
     .at = offsetof(struct model_own_options, rules.terminal)},
    {.name = "deviation",
     .words = "sample|population",
     .help = "the divisor of deviations: n - 1 or n (default: sample)",
     .take = take_deviation,
     .at = offsetof(struct model_own_options, rules.population)},
    {.name = "ends",
     .words = "restart|stay",
     .help = "what follows a state without successors: the next run's beginning, or nothing (default: restart)",
     .take = take_rule,
     .at = offsetof(struct model_own_options, rules.ends)},
    {.name = "order",
     .argument = "N|auto",
     .help = "states carry the last N states, 1 to 5; auto: as many as BIC asks for (default: 1)",
     .take = take_order},
    {.name = "phases",
     .help = "a model for each phase of the run (heddle phases), one after another",
     .take = take_rule,
     .at = offsetof(struct model_own_options, phases)},
    {.name = "phase",
     .argument = "N",
     .help = "phase N alone",
     .take = option_number,
     .at = offsetof(struct model_own_options, phase),
     .least = 1,
     .most = UINT32_MAX},
    {.name = "components",
     .help = "a model for each component, and how much they depend on each other",
     .take = take_rule,
     .at = offsetof(struct model_own_options, components)},
    {.name = "any",
     .help = "pool runs with different parameters",
     .take = take_rule,
     .at = offsetof(struct model_own_options, any)},
    {.name = "passage",
     .argument = "STATE|all",
     .help = "mean first-passage times to a state, or between all (100 states)",
     .take = option_text,
     .at = offsetof(struct model_own_options, passage)},
    {.name = "occupancy",
     .argument = "STATE",
     .help = "the distribution of a state's occupancies",
     .take = option_text,
     .at = offsetof(struct model_own_options, occupancy)},
    {.name = "rules",
     .argument = "[=COMPONENT]",
     .help = "print rules instead: which component decides the next state, or the next value of COMPONENT",
     .take = take_rules},
    {.name = "dot", .help = "the graph, in DOT", .take = option_flag, .at = offsetof(struct model_own_options, dot)},
    {.name = "svg",
     .help = "the graph, drawn by dot (Graphviz)",
     .take = option_flag,
     .at = offsetof(struct model_own_options, svg)},
    {.name = NULL}};

const struct command command_model = {
    .name = "model",
    .group = COMMAND_MODEL,
    .summary = "makes the semi-Markov model of a sequence, or of several runs",
    .synopsis = "[OPTION]... FILE...",
    .about = "Makes the semi-Markov model of a program execution sequence (heddle pes), or of several runs: which "
             "state follows\n"
             "which, how long states last, and the figures of the long run.\n"
             "FILE is a sequence, or one model, which is shown again.\n",
    .operand = "the file of a sequence, or several",
    .least = 1,
    .options = {{.list = model_own_options}, {.list = format_options}},
    .run = model_run,
};
