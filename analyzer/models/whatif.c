#include "analyzer/command/shared_options.h"
#include "analyzer/command/values.h"
#include "analyzer/models/model_show.h"
#include "analyzer/models/sequence_show.h"
#include "base/count_of.h"

#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCALES_MAX = 1000, WHATIF_TOP_TEXT = 10 };

struct scale {
  const char *text; /* STATE=F */
  size_t length;    /* of STATE */
  double factor;
};

struct whatif_own_options {
  struct scale scales[SCALES_MAX];
  size_t scale_count;
  uint64_t top; /* 0: the format decides */
};

static int take_scale(const struct option_given *given, void *into)
{
  struct whatif_own_options *options = into;
  const char *equals = strrchr(given->value, '=');
  struct scale scale = {.text = given->value};
  if (!equals || equals == given->value || !value_real(equals + 1, &scale.factor))
    return command_usage(given->command, "--scale %s: give STATE=F, with F from 0, as Eat=0.5", given->value);
  if (options->scale_count == SCALES_MAX)
    return command_usage(given->command, "--scale can be given %d times", SCALES_MAX);
  scale.length = (size_t)(equals - given->value);
  options->scales[options->scale_count++] = scale;
  return -1;
}

/* Multiplies the factors of all states that match the name, and counts them. False: an error. */
static bool apply(const struct model_view *view, const struct scale *scale, double *factors, uint32_t *matches,
                  struct error *error)
{
  char *name = strndup(scale->text, scale->length);
  uint32_t count;
  if (!name)
    return error_set(error, "out of memory");
  uint32_t exact = pes_states_find(view->model->program, view->model->states, name, &count);
  for (uint32_t i = 0; i < view->model->count; i++) {
    bool meant = exact != PES_NONE ? i == exact || markov_present_state(view->model, i) == exact
                                   : fnmatch(name, view->names[i], 0) == 0;
    if (!meant || !markov_state_is_used(view->model, i))
      continue;
    factors[i] *= scale->factor;
    ++*matches;
  }
  free(name);
  return true;
}

/* One phase with factors. */
struct scaled {
  double *factors; /* by state */
  struct markov_whatif *whatif;
};

static bool scale_one(const struct model_view *view, struct scaled *scaled, struct error *error)
{
  scaled->factors = malloc(((size_t)view->model->count + 1) * sizeof *scaled->factors);
  if (!scaled->factors)
    return error_set(error, "out of memory");
  for (uint32_t i = 0; i < view->model->count; i++)
    scaled->factors[i] = 1;
  return true;
}

/* Checks that each state of --scale is in at least one phase. False: an error. */
static bool scale_all(const struct model_view *views, uint32_t phases, const struct whatif_own_options *options,
                      struct scaled *scaled, struct error *error)
{
  bool good = true;
  for (uint32_t k = 0; good && k < phases; k++)
    good = scale_one(&views[k], &scaled[k], error);
  for (size_t i = 0; good && i < options->scale_count; i++) {
    uint32_t matches = 0;
    for (uint32_t k = 0; good && k < phases; k++)
      good = apply(&views[k], &options->scales[i], scaled[k].factors, &matches, error);
    if (good && matches == 0)
      good = error_set(error, "the model has no state %.*s", (int)options->scales[i].length, options->scales[i].text);
  }
  for (uint32_t k = 0; good && k < phases; k++) {
    scaled[k].whatif = markov_whatif(views[k].chain, scaled[k].factors);
    good = scaled[k].whatif || error_set(error, "out of memory");
  }
  return good;
}

static void put_scaled(struct print *print, const struct model_view *views, uint32_t phases,
                       const struct scaled *scaled)
{
  static const struct print_column columns[] = {{"phase", "Phase", PRINT_NUMBER, false},
                                                {"state", "State", PRINT_STRING, false},
                                                {"factor", "Factor", PRINT_RATIO, false},
                                                {"mean", "Mean", PRINT_MEAN, false},
                                                {"longrun_before", "Long-run", PRINT_PROBABILITY, false},
                                                {"longrun", "then", PRINT_PROBABILITY, false}};
  bool alone = phases == 1;
  print_table(print, "states", "With these factors", columns + alone, COUNT_OF(columns) - alone, false);
  for (uint32_t k = 0; k < phases; k++) {
    const struct model_view *view = &views[k];
    for (uint32_t i = 0; i < view->model->count; i++) {
      if (!markov_state_is_used(view->model, i))
        continue;
      double factor = scaled[k].factors[i];
      struct print_cell cells[] = {print_number(k + 1),
                                   print_string(view->names[i]),
                                   print_real(factor),
                                   print_real(view->chain->mean[i] * factor),
                                   print_real(view->chain->longrun[i]),
                                   print_real(scaled[k].whatif->longrun[i])};
      print_row(print, cells + alone);
    }
  }
  print_table_end(print);
}

/* The phase's time with its factors: it has the records that it had. */
static double time_then(const struct markov_model *model, const double *factors)
{
  double sum = 0;
  for (uint32_t i = 0; i < model->count; i++)
    sum += (double)model->list[i].occupancy.total * factors[i];
  return sum;
}

static void whatif_put_phases(struct print *print, const struct model_view *views, uint32_t phases,
                              const struct scaled *scaled)
{
  static const struct print_column columns[] = {{"phase", "Phase", PRINT_NUMBER, false},
                                                {"records", "Records", PRINT_COUNT, false},
                                                {"duration_before", "Time", PRINT_MEAN, false},
                                                {"duration", "then", PRINT_MEAN, false},
                                                {"cycle_state", "Cycle of", PRINT_STRING, false},
                                                {"cycle_before", "Mean", PRINT_MEAN, true},
                                                {"cycle", "then", PRINT_MEAN, true}};
  print_table(print, "phases", "Phases", columns, COUNT_OF(columns), false);
  for (uint32_t k = 0; k < phases; k++) {
    const struct markov_class *main_class = &views[k].chain->classes[views[k].chain->main_class];
    struct print_cell cells[] = {print_number(k + 1),
                                 print_number(views[k].model->records),
                                 print_real((double)views[k].model->duration),
                                 print_real(time_then(views[k].model, scaled[k].factors)),
                                 print_string(views[k].names[main_class->reference]),
                                 print_finite(main_class->cycle),
                                 print_finite(scaled[k].whatif->cycles[views[k].chain->main_class])};
    print_row(print, cells);
  }
  print_table_end(print);
}

/* A state's time in all phases. */
struct share {
  uint32_t state;
  uint64_t ticks;
};

static int compare_shares(const void *left, const void *right)
{
  const struct share *a = left, *b = right;
  if (a->ticks != b->ticks)
    return a->ticks < b->ticks ? 1 : -1;
  return (a->state > b->state) - (a->state < b->state);
}

/* Prints, for a series, the saving if a state takes half as long in all phases. */
static bool put_series_bottlenecks(struct print *print, const struct model_view *views, uint32_t phases, uint64_t top)
{
  static const struct print_column columns[] = {{"state", "State", PRINT_STRING, false},
                                                {"part", "Time", PRINT_PERCENT, false},
                                                {"duration", "Run, halved", PRINT_MEAN, false},
                                                {"saved", "Saved", PRINT_PERCENT, false}};
  uint32_t count = views[0].model->count;
  struct share *shares = calloc((size_t)count + 1, sizeof *shares);
  double all = 0;
  if (!shares)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    shares[i].state = i;
    for (uint32_t k = 0; k < phases; k++)
      shares[i].ticks += views[k].model->list[i].occupancy.total;
    all += (double)shares[i].ticks;
  }
  qsort(shares, count, sizeof *shares, compare_shares);
  uint64_t shown = top ? top : views[0].format == PRINT_TEXT ? WHATIF_TOP_TEXT : UINT32_MAX;
  print_table(print, "bottlenecks", "Bottlenecks: each state alone taking half as long", columns, COUNT_OF(columns),
              false);
  for (uint32_t i = 0; i < count && i < shown && shares[i].ticks > 0; i++) {
    double ticks = (double)shares[i].ticks;
    struct print_cell cells[] = {print_string(views[0].names[shares[i].state]), print_real(100 * ticks / all),
                                 print_real(all - ticks / 2), print_real(50 * ticks / all)};
    print_row(print, cells);
  }
  print_table_end(print);
  free(shares);
  return true;
}

static bool put_bottlenecks(struct print *print, const struct model_view *view, uint64_t top)
{
  static const struct print_column columns[] = {{"state", "State", PRINT_STRING, false},
                                                {"longrun_before", "Long-run", PRINT_PROBABILITY, false},
                                                {"longrun", "halved", PRINT_PROBABILITY, false},
                                                {"cycle", "Cycle", PRINT_MEAN, false},
                                                {"saved", "Saved", PRINT_PERCENT, false}};
  uint32_t count;
  struct markov_bottleneck *list = markov_bottlenecks(view->chain, &count);
  if (!list)
    return false;
  uint64_t shown = top ? top : view->format == PRINT_TEXT ? WHATIF_TOP_TEXT : UINT32_MAX;
  print_table(print, "bottlenecks", "Bottlenecks: each state alone taking half as long", columns, COUNT_OF(columns),
              false);
  for (uint32_t i = 0; i < count && i < shown; i++) {
    struct print_cell cells[] = {print_string(view->names[list[i].state]),
                                 print_real(view->chain->longrun[list[i].state]), print_real(list[i].longrun),
                                 print_real(list[i].cycle), print_real(100 * list[i].saved)};
    print_row(print, cells);
  }
  print_table_end(print);
  free(list);
  return true;
}

static void whatif_put_facts(struct print *print, const struct model_view *view, const struct markov_whatif *whatif)
{
  const struct markov_class *main_class = &view->chain->classes[view->chain->main_class];
  double then = whatif->cycles[view->chain->main_class];
  print_csv_facts(print);
  print_fact(print, "program", "Program", PRINT_STRING, print_string(view->model->program->name));
  not_measured_put_fact(print, not_measured_of_model(view->model));
  print_fact(print, "cycle_state", "Cycle of", PRINT_STRING, print_string(view->names[main_class->reference]));
  print_fact(print, "cycle_before", "Mean cycle time", PRINT_MEAN, print_real(main_class->cycle));
  print_fact(print, "cycle", "... then", PRINT_MEAN, print_real(then));
  if (main_class->cycle > 0)
    print_fact(print, "ratio", "... as a ratio", PRINT_RATIO, print_real(then / main_class->cycle));
  print_fact(print, "lead_before", "Before recurrence", PRINT_MEAN, print_real(view->chain->lead));
  print_fact(print, "lead", "... then", PRINT_MEAN, print_real(whatif->lead));
}

static void put_series_facts(struct print *print, const struct model_view *views, uint32_t phases,
                             const struct scaled *scaled)
{
  double before = 0, then = 0;
  for (uint32_t k = 0; k < phases; k++) {
    before += (double)views[k].model->duration;
    then += time_then(views[k].model, scaled[k].factors);
  }
  print_csv_facts(print);
  print_fact(print, "program", "Program", PRINT_STRING, print_string(views[0].model->program->name));
  print_fact(print, "duration_before", "Duration", PRINT_MEAN, print_real(before));
  print_fact(print, "duration", "... then", PRINT_MEAN, print_real(then));
  if (before > 0)
    print_fact(print, "ratio", "... as a ratio", PRINT_RATIO, print_real(then / before));
}

static bool whatif_put_all(struct print *print, const struct model_view *views, uint32_t phases,
                           const struct scaled *scaled, const struct whatif_own_options *options)
{
  char text[1024];
  bool good;
  if (phases > 1)
    put_series_facts(print, views, phases, scaled);
  else
    whatif_put_facts(print, views, scaled->whatif);
  if (phases > 1)
    whatif_put_phases(print, views, phases, scaled);
  if (options->scale_count > 0)
    put_scaled(print, views, phases, scaled);
  if (phases > 1) {
    good = put_series_bottlenecks(print, views, phases, options->top);
  } else {
    good = put_bottlenecks(print, views, options->top);
    model_describe_classes(views, text, sizeof text);
    print_sentence(print, "described", text);
  }
  print_sentence(print, "assumption",
                 "Assumption: transition probabilities and the durations of all other states stay the same. If "
                 "threads wait for each other, the result is a bound, not a prediction.");
  if (phases > 1)
    print_sentence(print, "lengths", "Each phase is taken to have as many records as it had.");
  model_show_letters(print, views);
  return good;
}

static bool whatif_show(const struct model_view *views, uint32_t phases, const struct whatif_own_options *options,
                        struct error *error)
{
  struct scaled scaled[MARKOV_SERIES_MOST] = {0};
  bool good = scale_all(views, phases, options, scaled, error);
  struct print *print = good ? print_open(views->format, stdout, views->model->program->ticks_per_second) : NULL;
  if (good && (!print || !whatif_put_all(print, views, phases, scaled, options)))
    good = error_set(error, "out of memory");
  if (print && !print_close(print))
    good = false;
  for (uint32_t k = 0; k < phases; k++) {
    markov_whatif_free(scaled[k].whatif);
    free(scaled[k].factors);
  }
  return good;
}

static int whatif_run(const struct command *command, int argc, char **argv)
{
  static struct whatif_own_options options;
  struct shared_options shared = {.format = PRINT_TEXT};
  struct model_view views[MARKOV_SERIES_MOST] = {0};
  struct error error = {{0}};
  int status = command_take(command, (void *[OPTION_SETS]){&options, &shared}, argc, argv);
  if (status >= 0)
    return status;
  struct markov_series *series = markov_read(argv[optind], &error);
  bool good = series && (model_views_open(views, series, shared.format) || error_set(&error, "out of memory"));
  good = good && whatif_show(views, series->count, &options, &error);
  if (!good)
    command_failed(argv[0], error.message);
  model_views_close(views, series ? series->count : 0);
  markov_series_free(series);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option whatif_own_options[] = {
    {.name = "scale",
     .argument = "STATE=F",
     .help = "the state takes F times as long; * and ? in STATE match any, and #3 is state number 3; can be given "
             "several times",
     .take = take_scale},
    {.name = "top",
     .argument = "N",
     .help = "the N worst bottlenecks (default: 10; JSON and CSV: all)",
     .take = option_number,
     .at = offsetof(struct whatif_own_options, top),
     .least = 1,
     .most = UINT32_MAX},
    {.name = NULL}};

const struct command command_whatif = {
    .name = "whatif",
    .group = COMMAND_MODEL,
    .summary = "computes a model's figures for shorter or longer states",
    .synopsis = "[OPTION]... MODEL",
    .about =
        "Computes the figures of a model (heddle model -o) for shorter or longer states, and prints the states whose\n"
        "shortening helps most. The transitions are assumed to stay the same.\n",
    .operand = "one model, as `heddle model -o` writes it",
    .least = 1,
    .most = 1,
    .options = {{.list = whatif_own_options}, {.list = format_options}},
    .run = whatif_run,
};
