#include "analyzer/commands/model_show.h"
#include "analyzer/commands/shared_options.h"
#include "analyzer/commands/unmeasured_fact.h"
#include "analyzer/options/values.h"
#include "base/count_of.h"

#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCALES_MAX = 1000, TOP_TEXT = 10 };

struct scale {
  const char *text; /* STATE=F */
  size_t length;    /* of STATE */
  double factor;
};

struct own_options {
  struct scale scales[SCALES_MAX];
  size_t scale_count;
  uint64_t top; /* 0: the format decides */
};

static int take_scale(const struct option_given *given, void *into)
{
  struct own_options *options = into;
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

/* Multiplies the factors of all states that match the name. */
static bool apply(const struct model_view *view, const struct scale *scale, double *factors, struct error *error)
{
  char *name = strndup(scale->text, scale->length);
  uint32_t matches = 0, count;
  if (!name)
    return error_set(error, "out of memory");
  uint32_t exact = pes_states_find(view->model->program, view->model->states, name, &count);
  for (uint32_t i = 0; i < view->model->count; i++) {
    bool meant = exact != PES_NONE ? i == exact || markov_present_state(view->model, i) == exact
                                   : fnmatch(name, view->names[i], 0) == 0;
    if (!meant || !markov_state_is_used(view->model, i))
      continue;
    factors[i] *= scale->factor;
    matches++;
  }
  bool good = matches > 0 || error_set(error, "the model has no state %s", name);
  free(name);
  return good;
}

static void put_scaled(struct print *print, const struct model_view *view, const double *factors,
                       const struct markov_whatif *whatif)
{
  static const struct print_column columns[] = {{"state", "State", PRINT_STRING, false},
                                                {"factor", "Factor", PRINT_RATIO, false},
                                                {"mean", "Mean", PRINT_MEAN, false},
                                                {"longrun_before", "Long-run", PRINT_PROBABILITY, false},
                                                {"longrun", "then", PRINT_PROBABILITY, false}};
  print_table(print, "states", "With these factors", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < view->model->count; i++) {
    if (!markov_state_is_used(view->model, i))
      continue;
    struct print_cell cells[] = {print_string(view->names[i]), print_real(factors[i]),
                                 print_real(view->chain->mean[i] * factors[i]), print_real(view->chain->longrun[i]),
                                 print_real(whatif->longrun[i])};
    print_row(print, cells);
  }
  print_table_end(print);
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
  uint64_t shown = top ? top : view->format == PRINT_TEXT ? TOP_TEXT : UINT32_MAX;
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

static void put_facts(struct print *print, const struct model_view *view, const struct markov_whatif *whatif)
{
  const struct markov_class *main_class = &view->chain->classes[view->chain->main_class];
  double then = whatif->cycles[view->chain->main_class];
  print_csv_facts(print);
  print_fact(print, "program", "Program", PRINT_STRING, print_string(view->model->program->name));
  unmeasured_put_fact(print, unmeasured_of_model(view->model));
  print_fact(print, "cycle_state", "Cycle of", PRINT_STRING, print_string(view->names[main_class->reference]));
  print_fact(print, "cycle_before", "Mean cycle time", PRINT_MEAN, print_real(main_class->cycle));
  print_fact(print, "cycle", "... then", PRINT_MEAN, print_real(then));
  if (main_class->cycle > 0)
    print_fact(print, "ratio", "... as a ratio", PRINT_RATIO, print_real(then / main_class->cycle));
  print_fact(print, "lead_before", "Before recurrence", PRINT_MEAN, print_real(view->chain->lead));
  print_fact(print, "lead", "... then", PRINT_MEAN, print_real(whatif->lead));
}

static bool show(const struct model_view *view, const struct own_options *options, struct error *error)
{
  double *factors = malloc(((size_t)view->model->count + 1) * sizeof *factors);
  bool good = factors || error_set(error, "out of memory");
  for (uint32_t i = 0; good && i < view->model->count; i++)
    factors[i] = 1;
  for (size_t i = 0; good && i < options->scale_count; i++)
    good = apply(view, &options->scales[i], factors, error);
  struct markov_whatif *whatif = good ? markov_whatif(view->chain, factors) : NULL;
  struct print *print = whatif ? print_open(view->format, stdout, view->model->program->ticks_per_second) : NULL;
  if (good && !print)
    good = error_set(error, "out of memory");
  if (good) {
    char text[1024];
    put_facts(print, view, whatif);
    if (options->scale_count > 0)
      put_scaled(print, view, factors, whatif);
    good = put_bottlenecks(print, view, options->top) || error_set(error, "out of memory");
    model_describe_classes(view, text, sizeof text);
    print_sentence(print, "described", text);
    print_sentence(print, "assumption",
                   "Assumption: transition probabilities and the durations of all other states stay the same. If "
                   "threads wait for each other, the result is a bound, not a prediction.");
    model_show_letters(print, view);
  }
  if (print && !print_close(print))
    good = false;
  markov_whatif_free(whatif);
  free(factors);
  return good;
}

static int run(const struct command *command, int argc, char **argv)
{
  static struct own_options options;
  struct shared_options shared = {.format = PRINT_TEXT};
  struct model_view view = {0};
  struct error error = {{0}};
  int status = command_take(command, (void *[OPTION_SETS]){&options, &shared}, argc, argv);
  if (status >= 0)
    return status;
  view.format = shared.format;
  struct markov_model *model = markov_read(argv[optind], &error);
  struct markov_chain *chain = model ? markov_chain_solve(model) : NULL;
  char **names = model ? model_names(model->program, model->states) : NULL;
  bool good = model;
  view.model = model;
  view.chain = chain;
  view.names = names;
  if (good)
    good = chain && names ? show(&view, &options, &error) : error_set(&error, "out of memory");
  if (!good)
    command_failed(argv[0], error.message);
  if (names)
    model_names_free(names, model->states);
  markov_chain_free(chain);
  markov_model_free(model);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option own_options[] = {
    {.name = "scale",
     .argument = "STATE=F",
     .help = "the state takes F times as long; * and ? in STATE match any, and #3 is state number 3; can be given "
             "several times",
     .take = take_scale},
    {.name = "top",
     .argument = "N",
     .help = "the N worst bottlenecks (default: 10; JSON and CSV: all)",
     .take = option_number,
     .at = offsetof(struct own_options, top),
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
    .options = {{.list = own_options}, {.list = format_options}},
    .run = run,
};
