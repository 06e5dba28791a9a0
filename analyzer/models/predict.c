#include "analyzer/models/predict.h"

#include "analyzer/command/command.h"
#include "analyzer/command/shared_options.h"
#include "analyzer/command/values.h"
#include "base/count_of.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int prediction_request_add(struct prediction_request *asked, const char *command, char *argument)
{
  char *equals = strchr(argument, '=');
  if (!equals || equals == argument || equals[1] == '\0')
    return command_usage(command, "--param %s: give NAME=VALUE, as threads=8", argument);
  if (asked->count == PREDICTION_PARAMETERS_MAX)
    return command_usage(command, "--param can be given at most twice: a fit has one parameter or two");
  *equals = '\0';
  if (asked->count > 0 && prediction_same_parameter(asked->names[0], argument))
    return command_usage(command, "--param %s is given twice", argument);
  asked->names[asked->count] = argument;
  asked->values[asked->count++] = equals + 1;
  return -1;
}

/* "threads=8 is 2.0x beyond the largest measured value, 4". */
static void describe_reach(const char *name, const char *value, const struct prediction_extrapolation *reach,
                           FILE *file)
{
  if (reach->by_range)
    fprintf(file, "%s=%s is %s measured value, %g, by %.2g of the measured range", name, value,
            reach->above ? "beyond the largest" : "below the smallest", reach->limit, reach->factor - 1);
  else
    fprintf(file, "%s=%s is %.1fx %s measured value, %g", name, value, reach->factor,
            reach->above ? "beyond the largest" : "below the smallest", reach->limit);
}

/* "no measured run has threads of 4 or more and size of 600 or more; ...". */
static void describe_gap(const struct prediction_answer *answer, const struct prediction_gap *gap, FILE *file)
{
  fputs("no measured run has ", file);
  for (uint32_t p = 0; p < answer->data->parameter_count; p++)
    fprintf(file, "%s%s of %s or %s", p > 0 ? " and " : "", answer->data->parameters[p], answer->values[p],
            gap->above[p] ? "more" : "less");
  fprintf(file, "; the nearest one is %.1fx away: this combination was not measured", gap->factor);
}

/*
 * Describes in answer->outside how far x is outside of the measured values; inside it stays empty. False: out of
 * memory.
 */
static bool prediction_show_describe(struct prediction_answer *answer, const double *x)
{
  const struct prediction_data *data = answer->data;
  struct prediction_gap gap = prediction_gap(data, x);
  FILE *file = gap.factor > 1 ? fmemopen(answer->outside, sizeof answer->outside, "w") : NULL;
  bool outside = false;
  if (!file)
    return !(gap.factor > 1);
  for (uint32_t p = 0; p < data->parameter_count; p++) {
    struct prediction_extrapolation reach = prediction_extrapolation(data, p, x[p]);
    if (!(reach.factor > 1))
      continue;
    fputs(outside ? "; " : "", file);
    describe_reach(data->parameters[p], answer->values[p], &reach, file);
    outside = true;
  }
  if (!outside)
    describe_gap(answer, &gap, file);
  fclose(file);
  return true;
}

static struct prediction_estimate *by_category(const struct prediction_answer *answer, double level,
                                               struct error *error)
{
  const struct prediction_data *data = answer->data;
  for (uint32_t g = 0; g < data->group_count; g++) {
    bool same = true;
    for (uint32_t p = 0; p < data->parameter_count; p++)
      same &= strcmp(data->groups[g].values[p], answer->values[p]) == 0;
    if (!same)
      continue;
    struct prediction_estimate *estimate = prediction_measured(data, g, level);
    if (!estimate)
      error_set(error, "out of memory");
    return estimate;
  }
  if (data->parameter_count == 2)
    error_set(error,
              "%s=%s with %s=%s was not measured, and there is no interpolation between values that are not numbers",
              data->parameters[0], answer->values[0], data->parameters[1], answer->values[1]);
  else
    error_set(
        error,
        "%s=%s was not measured, and there is no interpolation between values that are not numbers; measured: %s%s%s",
        answer->asked->names[0], answer->values[0], data->groups[0].values[0], data->group_count > 1 ? ", " : "",
        data->group_count > 2   ? "..."
        : data->group_count > 1 ? data->groups[1].values[0]
                                : "");
  return NULL;
}

/* Checks that values are numbers, and that there are enough measured ones for functions. */
static bool take_numbers(const struct prediction_answer *answer, double *x, struct error *error)
{
  const struct prediction_data *data = answer->data;
  for (uint32_t p = 0; p < data->parameter_count; p++) {
    uint32_t values = prediction_data_values(data, p);
    if (!prediction_number(answer->values[p], &x[p]))
      return error_set(error, "%s=%s is not a number, but all measured values are", data->parameters[p],
                       answer->values[p]);
    if (values < PREDICTION_VALUES_LEAST)
      return error_set(error, "the fit has %u values of %s; functions need %d or more", values, data->parameters[p],
                       PREDICTION_VALUES_LEAST);
  }
  if (data->parameter_count == 2 && data->group_count < PREDICTION_PAIRS_LEAST)
    return error_set(error, "the fit has %u pairs of values; functions of two parameters need %d or more",
                     data->group_count, PREDICTION_PAIRS_LEAST);
  return true;
}

static struct prediction_estimate *by_number(struct prediction_answer *answer, double level, struct error *error)
{
  const struct prediction_data *data = answer->data;
  double x[PREDICTION_PARAMETERS_MAX] = {0};
  if (!take_numbers(answer, x, error))
    return NULL;
  bool good = prediction_show_describe(answer, x);
  if (good && *answer->outside && !answer->asked->extrapolate) {
    error_set(error, "%s; --extrapolate predicts it nevertheless, with wider intervals", answer->outside);
    return NULL;
  }
  struct prediction *prediction = good ? prediction_fit(data) : NULL;
  struct prediction_estimate *estimate = prediction ? prediction_predict(prediction, x, level) : NULL;
  prediction_free(prediction);
  if (!estimate)
    error_set(error, "out of memory");
  return estimate;
}

/* Finds the requested value of each parameter. False: there are others, or one is missing. */
static bool match(struct prediction_answer *answer, const char *fit, struct error *error)
{
  const struct prediction_request *asked = answer->asked;
  const struct prediction_data *data = answer->data;
  char names[PREDICTION_NAMES_SIZE];
  for (uint32_t i = 0; i < asked->count; i++) {
    bool found = false;
    for (uint32_t p = 0; p < data->parameter_count && !found; p++) {
      found = prediction_same_parameter(data->parameters[p], asked->names[i]);
      if (found)
        answer->values[p] = asked->values[i];
    }
    if (!found)
      return error_set(error, "%s has runs at values of %s, not of %s", fit, prediction_data_names(data, names),
                       asked->names[i]);
  }
  for (uint32_t p = 0; p < data->parameter_count; p++) {
    if (!answer->values[p])
      return error_set(error, "%s has runs at values of %s: name one of %s, too, with --param %s=...", fit,
                       prediction_data_names(data, names), data->parameters[p], data->parameters[p]);
  }
  return true;
}

bool prediction_answer(struct prediction_answer *answer, const char *fit, const struct prediction_request *asked,
                       struct error *error)
{
  *answer = (struct prediction_answer){.asked = asked, .data = prediction_read(fit, error)};
  if (!answer->data || !match(answer, fit, error))
    return false;
  double level = (double)(asked->confidence > 0 ? asked->confidence : 95) / 100;
  answer->estimate = answer->data->numeric ? by_number(answer, level, error) : by_category(answer, level, error);
  return answer->estimate != NULL;
}

void prediction_answer_free(struct prediction_answer *answer)
{
  prediction_estimate_free(answer->estimate);
  prediction_data_free(answer->data);
}

static struct print_cell known(double number)
{
  return isnan(number) ? print_none() : print_real(number);
}

static void prediction_show_put_facts(struct print *print, const struct prediction_answer *answer)
{
  static const char *const keys[PREDICTION_PARAMETERS_MAX][4] = {
      {"parameter", "value", "measured_from", "measured_to"},
      {"parameter2", "value2", "measured_from2", "measured_to2"}};
  const struct prediction_data *data = answer->data;
  const struct prediction_estimate *estimate = answer->estimate;
  print_csv_facts(print);
  print_fact(print, "program", "Program", PRINT_STRING, print_string(data->program));
  for (uint32_t p = 0; p < data->parameter_count; p++) {
    print_fact(print, keys[p][0], "Parameter", PRINT_STRING, print_string(data->parameters[p]));
    print_fact(print, keys[p][1], "Value", PRINT_STRING, print_string(answer->values[p]));
    print_fact(print, keys[p][2], "Measured from", PRINT_STRING, print_string(prediction_data_end(data, p, false)));
    print_fact(print, keys[p][3], "... to", PRINT_STRING, print_string(prediction_data_end(data, p, true)));
  }
  print_fact(print, "total", "Total", PRINT_MEAN, print_real(estimate->total.ticks));
  print_fact(print, "total_low", "... from", PRINT_MEAN, known(estimate->total.low));
  print_fact(print, "total_high", "... to", PRINT_MEAN, known(estimate->total.high));
  if (*answer->outside)
    print_fact(print, "outside", "Outside", PRINT_STRING, print_string(answer->outside));
}

static int prediction_show_by_time(const void *left, const void *right, void *own)
{
  const struct prediction_estimate *estimate = own;
  uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
  double a = estimate->states[i].time.ticks, b = estimate->states[k].time.ticks;
  return a != b ? (a > b ? -1 : 1) : i < k ? -1 : i > k;
}

static bool prediction_show_put_states(struct print *print, const struct prediction_data *data,
                                       struct prediction_estimate *estimate, uint64_t top)
{
  static const struct print_column columns[] = {
      {"state", "State", PRINT_STRING, false}, {"visits", "Visits", PRINT_RATIO, false},
      {"mean", "Mean", PRINT_MEAN, false},     {"time", "Time", PRINT_MEAN, false},
      {"time_low", "from", PRINT_MEAN, false}, {"time_high", "to", PRINT_MEAN, false},
      {"part", "Part", PRINT_PERCENT, false},  {"longrun", "Long-run", PRINT_PROBABILITY, false}};
  uint32_t *order = malloc(((size_t)data->state_count + 1) * sizeof *order);
  if (!order)
    return false;
  for (uint32_t s = 0; s < data->state_count; s++)
    order[s] = s;
  qsort_r(order, data->state_count, sizeof *order, prediction_show_by_time, estimate);
  print_table(print, "states", top < data->state_count ? "States of most time" : "States", columns, COUNT_OF(columns),
              false);
  for (uint32_t i = 0; i < data->state_count && i < top; i++) {
    const struct prediction_state_estimate *state = &estimate->states[order[i]];
    double part = estimate->total.ticks > 0 ? 100 * state->time.ticks / estimate->total.ticks : 0;
    struct print_cell cells[] = {print_string(data->states[order[i]]),
                                 print_real(state->visits),
                                 print_real(state->occupancy),
                                 print_real(state->time.ticks),
                                 known(state->time.low),
                                 known(state->time.high),
                                 print_real(part),
                                 print_real(state->longrun)};
    print_row(print, cells);
  }
  print_table_end(print);
  free(order);
  return true;
}

/* Only for JSON and CSV: text would be too long. */
static void put_transitions(struct print *print, const struct prediction_data *data,
                            const struct prediction_estimate *estimate)
{
  static const struct print_column columns[] = {{"from", "From", PRINT_STRING, false},
                                                {"to", "To", PRINT_STRING, false},
                                                {"probability", "Probability", PRINT_PROBABILITY, false}};
  print_table(print, "transitions", NULL, columns, COUNT_OF(columns), false);
  for (uint32_t e = 0; e < data->edge_count; e++) {
    uint32_t from = data->edges[e].from, to = data->edges[e].to;
    struct print_cell cells[] = {print_string(from == PREDICTION_OUTSIDE ? NULL : data->states[from]),
                                 print_string(to == PREDICTION_OUTSIDE ? NULL : data->states[to]),
                                 print_real(estimate->probability[e])};
    print_row(print, cells);
  }
  print_table_end(print);
}

bool prediction_show(struct print *print, enum print_format format, const struct prediction_answer *answer,
                     uint64_t top)
{
  prediction_show_put_facts(print, answer);
  bool good = prediction_show_put_states(print, answer->data, answer->estimate, top);
  if (format != PRINT_TEXT)
    put_transitions(print, answer->data, answer->estimate);
  char text[512];
  double percent = 100 * answer->estimate->level;
  if (!answer->data->numeric)
    snprintf(text, sizeof text,
             "These are means of measured runs; an interval contains one new run with probability %.0f %%.", percent);
  else
    snprintf(text, sizeof text,
             "An interval contains one new run with probability %.0f %%, as estimated by holding out each %s in turn "
             "and from runs of equal values. Part follows from visits and occupancies, Long-run from "
             "transition probabilities; if they differ, the functions contradict each other.",
             percent, answer->data->parameter_count == 1 ? "value" : "pair of values");
  print_sentence(print, "interval", text);
  return good;
}

enum { PREDICT_TOP_TEXT = 20 };

struct predict_own_options {
  struct prediction_request asked;
  uint64_t top; /* 0: the format decides */
};

static int predict_take_parameter(const struct option_given *given, void *into)
{
  struct predict_own_options *options = into;
  return prediction_request_add(&options->asked, given->command, given->value);
}

static bool predict_show(const struct predict_own_options *options, enum print_format format,
                         const struct prediction_answer *answer, struct error *error)
{
  struct print *print = print_open(format, stdout, answer->data->ticks_per_second);
  if (!print)
    return error_set(error, "out of memory");
  uint64_t top = options->top ? options->top : format == PRINT_TEXT ? PREDICT_TOP_TEXT : UINT32_MAX;
  bool good = prediction_show(print, format, answer, top) || error_set(error, "out of memory");
  return print_close(print) && good;
}

static int predict_run(const struct command *command, int argc, char **argv)
{
  struct predict_own_options options = {0};
  struct shared_options shared = {.format = PRINT_TEXT};
  struct error error = {{0}};
  struct prediction_answer answer;
  int status = command_take(command, (void *[OPTION_SETS]){&options, &shared}, argc, argv);
  if (status >= 0)
    return status;
  if (options.asked.count == 0)
    return command_usage(argv[0], "name the value to predict with --param, as in --param threads=8");
  bool good = prediction_answer(&answer, argv[optind], &options.asked, &error) &&
              predict_show(&options, shared.format, &answer, &error);
  if (!good)
    command_failed(argv[0], error.message);
  prediction_answer_free(&answer);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option predict_own_options[] = {
    {.name = "param",
     .argument = "NAME=VALUE",
     .help = "the parameter of the fit, and the value to predict; again for a second parameter",
     .take = predict_take_parameter},
    {.name = "extrapolate",
     .help = "also predict outside of the measured values, where intervals are wider",
     .take = option_flag,
     .at = offsetof(struct predict_own_options, asked.extrapolate)},
    {.name = "confidence",
     .argument = "PERCENT",
     .help = "intervals contain one new run with this probability, 50 to 99 (default: 95)",
     .take = option_number,
     .at = offsetof(struct predict_own_options, asked.confidence),
     .least = 50,
     .most = 99},
    {.name = "top",
     .argument = "N",
     .help = "the N states with the most time (default: 20; JSON and CSV: all)",
     .take = option_number,
     .at = offsetof(struct predict_own_options, top),
     .least = 1,
     .most = UINT32_MAX},
    {.name = NULL}};

const struct command command_predict = {
    .name = "predict",
    .group = COMMAND_COMPARE,
    .summary = "predicts a run at another value of a parameter or two",
    .synopsis = "--param NAME=VALUE [OPTION]... FIT",
    .about =
        "Predicts a run at another value of the parameter, or of both, from the output of heddle fit -o FIT: the time\n"
        "in each state and in all, with intervals for one new run.\n",
    .operand = "one fit, as `heddle fit -o` writes it",
    .least = 1,
    .most = 1,
    .options = {{.list = predict_own_options}, {.list = format_options}},
    .run = predict_run,
};
