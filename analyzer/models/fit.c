#include "analyzer/command/shared_options.h"
#include "analyzer/command/values.h"
#include "analyzer/models/prediction/prediction.h"
#include "base/count_of.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIT_FORMULA_SIZE = 512 };

/* Factors of a term: functions of the parameters whose bits are set. */
static void put_product(FILE *file, const struct prediction_shape *shape, const char *const *names, unsigned bits)
{
  for (unsigned p = 0; p < PREDICTION_PARAMETERS_MAX; p++) {
    enum prediction_form form = shape->of[p];
    if ((bits & 1U << p) && form != PREDICTION_INVERSE)
      fprintf(file, " %s%s%s", form == PREDICTION_LOG ? "ln " : "", names[p], form == PREDICTION_SQUARE ? "^2" : "");
  }
  for (unsigned p = 0; p < PREDICTION_PARAMETERS_MAX; p++) {
    if ((bits & 1U << p) && shape->of[p] == PREDICTION_INVERSE)
      fprintf(file, "/%s", names[p]);
  }
}

static void put_terms(FILE *file, const struct prediction_shape *shape, const char *const *names, const double *c,
                      double unit)
{
  static const unsigned factors[PREDICTION_STRUCTURES][PREDICTION_COEFFICIENTS_MAX] = {
      [PREDICTION_PRODUCT] = {0, 3}, [PREDICTION_SUM] = {0, 1, 2}, [PREDICTION_FULL] = {0, 1, 2, 3}};
  unsigned own = shape->of[1] == PREDICTION_CONSTANT ? 1 : 2; /* of a function of one parameter */
  uint32_t n = prediction_shape_coefficients(shape);
  fprintf(file, "%.4g", c[0] / unit);
  for (uint32_t k = 1; k < n; k++) {
    fprintf(file, " %+.4g", c[k] / unit);
    put_product(file, shape, names, shape->structure == PREDICTION_ALONE ? own : factors[shape->structure][k]);
    fputs(shape->structure == PREDICTION_ALONE && k == 2 ? "^2" : "", file);
  }
}

static void put_power(FILE *file, const struct prediction_shape *shape, const char *const *names, const double *c,
                      double unit)
{
  uint32_t k = 1;
  fprintf(file, "%.4g", c[0] / unit);
  for (uint32_t p = 0; p < PREDICTION_PARAMETERS_MAX; p++) {
    if (shape->of[p] == PREDICTION_POWER)
      fprintf(file, " %s^%.4g", names[p], c[k++]);
  }
}

/*
 * Writes "12.5 +3.1/x", or with two parameters "12.5 +3.1 size^2/threads". Coefficients are divided by `unit`. Returns
 * `text`, which is empty if memory ran out.
 */
static const char *fit_formula(const struct prediction_data *data, const struct prediction_function *of, double unit,
                               char text[FIT_FORMULA_SIZE])
{
  bool two = data->parameter_count == 2;
  const char *const names[PREDICTION_PARAMETERS_MAX] = {two ? data->parameters[0] : "x",
                                                        two ? data->parameters[1] : ""};
  bool power = of->shape.of[0] == PREDICTION_POWER || of->shape.of[1] == PREDICTION_POWER;
  FILE *file = fmemopen(text, FIT_FORMULA_SIZE, "w");
  text[0] = '\0';
  if (!file)
    return text;
  (power ? put_power : put_terms)(file, &of->shape, names, of->c, unit);
  fclose(file);
  text[FIT_FORMULA_SIZE - 1] = '\0';
  return text;
}

/* With a smaller part of the time in states that occur at all values, a comparison of states is meaningless. */
#define COMMON_LEAST 0.5

struct fit_own_options {
  const char *by[PREDICTION_PARAMETERS_MAX], *output;
  uint32_t by_count;
  bool any;
};

static int fit_take_by(const struct option_given *given, void *into)
{
  struct fit_own_options *options = into;
  if (options->by_count == PREDICTION_PARAMETERS_MAX)
    return command_usage(given->command, "--by can be given at most twice: functions have one parameter or two");
  if (options->by_count > 0 && prediction_same_parameter(options->by[0], given->value))
    return command_usage(given->command, "--by %s and --by %s name the same parameter", options->by[0], given->value);
  options->by[options->by_count++] = given->value;
  return -1;
}

static struct prediction_data *read_runs(const struct fit_own_options *options, char **paths, int count,
                                         struct error *error)
{
  struct prediction_data *data = prediction_data_create(options->by, options->by_count);
  bool good = data || error_set(error, "out of memory");
  for (int i = 0; good && i < count; i++) {
    struct pes_stream *stream = pes_open(paths[i], error);
    good = stream && prediction_data_add(data, paths[i], stream, options->any, error);
    pes_close(stream);
  }
  if (good && prediction_data_group(data, error))
    return data;
  prediction_data_free(data);
  return NULL;
}

/* "value", or the terms of functions of two parameters */
static const char *value_word(const struct prediction_data *data)
{
  return data->parameter_count == 1 ? "value" : "pair of values";
}

/* True if there are enough values for functions. */
static bool check_values(const struct prediction_data *data, struct error *error)
{
  for (uint32_t p = 0; p < data->parameter_count; p++) {
    uint32_t values = prediction_data_values(data, p);
    if (values < PREDICTION_VALUES_LEAST)
      return error_set(error, "functions of %s need runs at %d or more values; these runs have %u, from %s to %s",
                       data->parameters[p], PREDICTION_VALUES_LEAST, values, prediction_data_end(data, p, false),
                       prediction_data_end(data, p, true));
  }
  if (data->parameter_count == 2 && data->group_count < PREDICTION_PAIRS_LEAST)
    return error_set(error, "functions of two parameters need runs at %d or more pairs of values; these runs have %u",
                     PREDICTION_PAIRS_LEAST, data->group_count);
  return true;
}

static bool fit_check(const struct prediction_data *data, struct error *error)
{
  uint32_t states;
  char names[PREDICTION_NAMES_SIZE];
  if (data->numeric && !check_values(data, error))
    return false;
  double common = prediction_data_common(data, &states);
  if (common >= COMMON_LEAST)
    return true;
  return error_set(error,
                   "only %.0f %% of the time is in states that occur at every value of %s: the names of states depend "
                   "on the number of threads. For states that can be compared, use heddle pes --vector "
                   "select=0 (the initial thread), or --vector roles (two or more threads)",
                   100 * common, prediction_data_names(data, names));
}

static void fit_put_facts(struct print *print, const struct prediction_data *data)
{
  print_fact(print, "program", "Program", PRINT_STRING, print_string(data->program));
  print_fact(print, "parameter", "Parameter", PRINT_STRING, print_string(data->parameters[0]));
  if (data->parameter_count == 2)
    print_fact(print, "parameter2", "Parameter", PRINT_STRING, print_string(data->parameters[1]));
  print_fact(print, "runs", "Runs", PRINT_COUNT, print_number(data->run_count));
  print_fact(print, "states_count", "States", PRINT_COUNT, print_number(data->state_count));
  print_fact(print, "transitions_count", "Transitions", PRINT_COUNT, print_number(data->edge_count));
}

static void fit_put_values(struct print *print, const struct prediction_data *data)
{
  bool two = data->parameter_count == 2;
  size_t skipped = two ? 0 : 1;
  /* The first column is there only with two parameters. */
  const struct print_column columns[] = {
      {"value", data->parameters[0], PRINT_STRING, false},
      {two ? "value2" : "value", two ? data->parameters[1] : "Value", PRINT_STRING, false},
      {"runs", "Runs", PRINT_COUNT, false},
      {"min", "Shortest", PRINT_DURATION, false},
      {"mean", "Mean", PRINT_MEAN, false},
      {"max", "Longest", PRINT_DURATION, false}};
  print_table(print, "values", "Measured", columns + skipped, COUNT_OF(columns) - skipped, false);
  for (uint32_t g = 0; g < data->group_count; g++) {
    const struct prediction_group *group = &data->groups[g];
    uint64_t min = UINT64_MAX, max = 0;
    double sum = 0;
    for (uint32_t i = 0; i < group->run_count; i++) {
      uint64_t ticks = 0;
      for (uint32_t s = 0; s < data->state_count; s++)
        ticks += prediction_ticks(&data->runs[group->runs[i]], s);
      min = ticks < min ? ticks : min;
      max = ticks > max ? ticks : max;
      sum += (double)ticks;
    }
    struct print_cell cells[] = {print_string(group->values[0]),     print_string(group->values[two ? 1 : 0]),
                                 print_number(group->run_count),     print_number(min),
                                 print_real(sum / group->run_count), print_number(max)};
    print_row(print, cells + skipped);
  }
  print_table_end(print);
}

static struct print_cell percent(double error)
{
  return isnan(error) ? print_none() : print_real(100 * error);
}

static void fit_put_functions(struct print *print, const struct prediction *prediction)
{
  const struct prediction_data *data = prediction->data;
  bool timed = data->ticks_per_second > 0;
  const struct print_column columns[] = {{"state", "State", PRINT_STRING, false},
                                         {"occupancy_form", "Occupancy", PRINT_STRING, false},
                                         {"occupancy", timed ? "in us" : "in ticks", PRINT_STRING, false},
                                         {"occupancy_error", "Error", PRINT_PERCENT, false},
                                         {"visits_form", "Visits", PRINT_STRING, false},
                                         {"visits", "a run", PRINT_STRING, false},
                                         {"visits_error", "Error", PRINT_PERCENT, false}};
  double unit = timed ? (double)data->ticks_per_second / 1e6 : 1;
  char occupancy_text[FIT_FORMULA_SIZE], visits_text[FIT_FORMULA_SIZE];
  print_table(print, "states",
              data->parameter_count == 1 ? "Functions of the parameter, x" : "Functions of the parameters", columns,
              COUNT_OF(columns), false);
  for (uint32_t s = 0; s < data->state_count; s++) {
    const struct prediction_function *occupancy = &prediction->occupancy[s], *visits = &prediction->visits[s];
    struct print_cell cells[] = {print_string(data->states[s]),
                                 print_string(prediction_shape_name(&occupancy->shape)),
                                 print_string(fit_formula(data, occupancy, unit, occupancy_text)),
                                 percent(occupancy->error),
                                 print_string(prediction_shape_name(&visits->shape)),
                                 print_string(fit_formula(data, visits, 1, visits_text)),
                                 percent(visits->error)};
    print_row(print, cells);
  }
  print_table_end(print);
}

/* Warns of other parameters that differ between runs; no function uses them. */
static void fit_put_others(struct print *print, const struct prediction_data *data)
{
  char *text = NULL, names[PREDICTION_NAMES_SIZE];
  size_t size;
  uint32_t next = 0, count = 0;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return;
  for (const struct prediction_other *other; (other = prediction_data_differs(data, &next)); count++)
    fprintf(file, "%s%s (such as %s and %s)", count > 0 ? ", " : "The runs also differ in ", other->name, other->value,
            *other->different ? other->different : "not set");
  fprintf(file, ". The functions do not know of this: its effect counts as one of %s, or as chance.",
          prediction_data_names(data, names));
  if (fclose(file) == 0 && count > 0)
    print_sentence(print, "others", text);
  free(text);
}

static void fit_put_sentences(struct print *print, const struct prediction_data *data)
{
  char text[512], names[PREDICTION_NAMES_SIZE];
  uint32_t states;
  double common = prediction_data_common(data, &states);
  snprintf(text, sizeof text, "%u of %u states occur at every %s; %.1f %% of the time is in them.", states,
           data->state_count, value_word(data), 100 * common);
  print_sentence(print, "common", text);
  if (data->numeric)
    snprintf(text, sizeof text, "Errors: root mean square of predicting each %s from the others.", value_word(data));
  else
    snprintf(text, sizeof text,
             "Not all values of %s are numbers: there are no functions, and heddle predict knows only these %ss.",
             prediction_data_names(data, names), data->parameter_count == 1 ? "value" : "pairs of value");
  print_sentence(print, data->numeric ? "error" : "category", text);
  fit_put_others(print, data);
}

static int fit_run(const struct command *command, int argc, char **argv)
{
  struct fit_own_options options = {0};
  struct shared_options shared = {.format = PRINT_TEXT};
  struct error error = {{0}};
  int status = command_take(command, (void *[OPTION_SETS]){&options, &shared}, argc, argv);
  if (status >= 0)
    return status;
  if (options.by_count == 0)
    return command_usage(argv[0], "name the parameter with --by, as in --by threads");
  struct prediction_data *data = read_runs(&options, argv + optind, argc - optind, &error);
  bool good = data && fit_check(data, &error);
  struct prediction *prediction = good && data->numeric ? prediction_fit(data) : NULL;
  if (good && data->numeric && !prediction)
    good = error_set(&error, "out of memory");
  good = good && (!options.output || prediction_write(data, prediction, options.output, &error));
  struct print *print = good ? print_open(shared.format, stdout, data->ticks_per_second) : NULL;
  if (print) {
    fit_put_facts(print, data);
    fit_put_values(print, data);
    if (prediction)
      fit_put_functions(print, prediction);
    fit_put_sentences(print, data);
    good = print_close(print);
  } else if (good)
    good = error_set(&error, "out of memory");
  if (!good)
    command_failed(argv[0], error.message);
  prediction_free(prediction);
  prediction_data_free(data);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option fit_own_options[] = {
    {.name = "by",
     .argument = "PARAMETER",
     .help =
         "threads (OMP_NUM_THREADS), schedule (OMP_SCHEDULE), or a name from heddle pes --param; again for a second",
     .take = fit_take_by},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "also write the fit, for heddle predict",
     .take = option_text,
     .at = offsetof(struct fit_own_options, output)},
    {.name = "any",
     .help = "take runs of programs with different names",
     .take = option_flag,
     .at = offsetof(struct fit_own_options, any)},
    {.name = NULL}};

const struct command command_fit = {
    .name = "fit",
    .group = COMMAND_COMPARE,
    .summary = "fits functions of a parameter or two (threads, a size) to the states of several runs",
    .synopsis = "--by PARAMETER [OPTION]... FILE...",
    .about = "Fits functions of a parameter, or of two, to the states of several runs: to mean occupancies, visits and "
             "transition\n"
             "probabilities. FILEs are sequences (heddle pes) of runs with at least three values of the parameter. "
             "Several runs\n"
             "with the same value show how far runs differ.\n",
    .operand = "the files of sequences",
    .least = 1,
    .options = {{.list = fit_own_options}, {.list = format_options}},
    .run = fit_run,
};
