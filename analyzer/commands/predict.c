#include "analyzer/commands/plain.h"
#include "analyzer/prediction/prediction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: heddle predict --param NAME=VALUE [OPTION]... FIT\n"
    "What a run at another value of the parameter would be like, by what heddle fit -o FIT found: time in\n"
    "each state and in all, with 95 % intervals for one new run.\n\n"
    "  --param NAME=VALUE  the parameter of the fit, and the value in question\n"
    "  --extrapolate       predict beyond the values that were measured, too: intervals are wider there\n"
    "  --top N             the N states of most time (default: 20; JSON and CSV: all)\n" PLAIN_OPTIONS_HELP;

enum { OPTION_PARAM = OPTION_FIRST_OWN, OPTION_EXTRAPOLATE, OPTION_TOP };
enum { TOP_TEXT = 20 };

#define LENGTH(a) (sizeof(a) / sizeof *(a))

struct own_options {
  char *name, *value; /* both in one argument: "threads" and "8" */
  uint64_t top;       /* 0: the format decides */
  bool extrapolate;
};

static int take(void *own, const char *command, int code)
{
  struct own_options *options = own;
  char *equals;
  switch (code) {
  case OPTION_PARAM:
    equals = strchr(optarg, '=');
    if (!equals || equals == optarg || equals[1] == '\0')
      return command_usage(command, "--param %s: give NAME=VALUE, as threads=8", optarg);
    if (options->name)
      return command_usage(command, "--param can be given once: a fit has one parameter");
    *equals = '\0';
    options->name = optarg;
    options->value = equals + 1;
    return -1;
  case OPTION_EXTRAPOLATE:
    options->extrapolate = true;
    return -1;
  case OPTION_TOP:
    if (!plain_number(optarg, 1, UINT32_MAX, &options->top))
      return command_usage(command, "--top %s: give a number from 1", optarg);
    return -1;
  default:
    return command_usage(command, "there is no option -o");
  }
}

/* "threads=8 is 2.0x beyond the largest seen, 4: not measured there". */
static void describe_reach(const struct own_options *options, const struct prediction_reach *reach, char *text,
                           size_t size)
{
  if (reach->by_range)
    snprintf(text, size, "%s=%s is %s seen, %g, by %.2g of the measured range: not measured there", options->name,
             options->value, reach->above ? "beyond the largest" : "below the smallest", reach->limit,
             reach->factor - 1);
  else
    snprintf(text, size, "%s=%s is %.1fx %s seen, %g: not measured there", options->name, options->value, reach->factor,
             reach->above ? "beyond the largest" : "below the smallest", reach->limit);
}

static struct prediction_estimate *by_category(const struct own_options *options, const struct prediction_data *data,
                                               struct trace_error *error)
{
  for (uint32_t g = 0; g < data->group_count; g++) {
    if (strcmp(data->groups[g].value, options->value) != 0)
      continue;
    struct prediction_estimate *estimate = prediction_measured(data, g);
    if (!estimate)
      trace_fail(error, "out of memory");
    return estimate;
  }
  trace_fail(error,
             "%s=%s was never measured, and values that are no numbers have nothing between them; measured: %s%s%s",
             options->name, options->value, data->groups[0].value, data->group_count > 1 ? ", " : "",
             data->group_count > 2   ? "..."
             : data->group_count > 1 ? data->groups[1].value
                                     : "");
  return NULL;
}

/* `said` gets how far outside the value is, or stays empty. */
static struct prediction_estimate *by_number(const struct own_options *options, const struct prediction_data *data,
                                             char *said, size_t size, struct trace_error *error)
{
  double x;
  if (!prediction_number(options->value, &x)) {
    trace_fail(error, "%s=%s is no number, but all measured values are", options->name, options->value);
    return NULL;
  }
  if (data->group_count < PREDICTION_VALUES_LEAST) {
    trace_fail(error, "the fit has %u values of %s; functions need %d or more", data->group_count, data->parameter,
               PREDICTION_VALUES_LEAST);
    return NULL;
  }
  struct prediction_reach reach = prediction_reach(data, x);
  if (reach.factor > 1) {
    describe_reach(options, &reach, said, size);
    if (!options->extrapolate) {
      trace_fail(error, "%s; --extrapolate predicts it all the same, with wider intervals", said);
      return NULL;
    }
  }
  struct prediction *prediction = prediction_fit(data);
  struct prediction_estimate *estimate = prediction ? prediction_predict(prediction, x) : NULL;
  prediction_free(prediction);
  if (!estimate)
    trace_fail(error, "out of memory");
  return estimate;
}

static struct print_cell known(double number)
{
  return isnan(number) ? print_none() : print_real(number);
}

static void put_facts(struct print *print, const struct own_options *options, const struct prediction_data *data,
                      const struct prediction_estimate *estimate, const char *said)
{
  print_csv_facts(print);
  print_fact(print, "program", "Program", PRINT_STRING, print_string(data->program));
  print_fact(print, "parameter", "Parameter", PRINT_STRING, print_string(data->parameter));
  print_fact(print, "value", "Value", PRINT_STRING, print_string(options->value));
  print_fact(print, "measured_from", "Measured from", PRINT_STRING, print_string(data->groups[0].value));
  print_fact(print, "measured_to", "... to", PRINT_STRING, print_string(data->groups[data->group_count - 1].value));
  print_fact(print, "total", "Total", PRINT_MEAN, print_real(estimate->total.ticks));
  print_fact(print, "total_low", "... from", PRINT_MEAN, known(estimate->total.low));
  print_fact(print, "total_high", "... to", PRINT_MEAN, known(estimate->total.high));
  if (*said)
    print_fact(print, "outside", "Outside", PRINT_STRING, print_string(said));
}

static int by_time(const void *left, const void *right, void *own)
{
  const struct prediction_estimate *estimate = own;
  uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
  double a = estimate->states[i].time.ticks, b = estimate->states[k].time.ticks;
  return a != b ? (a > b ? -1 : 1) : i < k ? -1 : i > k;
}

static bool put_states(struct print *print, const struct prediction_data *data, struct prediction_estimate *estimate,
                       uint64_t top)
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
  qsort_r(order, data->state_count, sizeof *order, by_time, estimate);
  print_table(print, "states", top < data->state_count ? "States of most time" : "States", columns, LENGTH(columns),
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

/* For programs: in text there would be more of them than one reads. */
static void put_transitions(struct print *print, const struct prediction_data *data,
                            const struct prediction_estimate *estimate)
{
  static const struct print_column columns[] = {{"from", "From", PRINT_STRING, false},
                                                {"to", "To", PRINT_STRING, false},
                                                {"probability", "Probability", PRINT_PROBABILITY, false}};
  print_table(print, "transitions", NULL, columns, LENGTH(columns), false);
  for (uint32_t e = 0; e < data->edge_count; e++) {
    uint32_t from = data->edges[e].from, to = data->edges[e].to;
    struct print_cell cells[] = {print_string(from == PREDICTION_OUTSIDE ? NULL : data->states[from]),
                                 print_string(to == PREDICTION_OUTSIDE ? NULL : data->states[to]),
                                 print_real(estimate->probability[e])};
    print_row(print, cells);
  }
  print_table_end(print);
}

static bool show(const struct own_options *options, enum print_format format, const struct prediction_data *data,
                 struct prediction_estimate *estimate, const char *said)
{
  struct print *print = print_open(format, stdout, data->ticks_per_second);
  if (!print)
    return false;
  uint64_t top = options->top ? options->top : format == PRINT_TEXT ? TOP_TEXT : UINT32_MAX;
  put_facts(print, options, data, estimate, said);
  bool good = put_states(print, data, estimate, top);
  if (format != PRINT_TEXT)
    put_transitions(print, data, estimate);
  if (!data->numeric)
    print_sentence(print, "interval", "These are means of what was measured; intervals hold one new run with 95 %.");
  else
    print_sentence(print, "interval",
                   "Intervals hold one new run with 95 %, as far as values that were left out in turn and runs of one "
                   "value tell. Part is by visits and occupancy, Long-run by transition probabilities: where they "
                   "differ, the functions don't fit each other.");
  return print_close(print) && good;
}

int command_predict(int argc, char **argv)
{
  static const struct option list[] = {PLAIN_OPTIONS,
                                       {"param", required_argument, NULL, OPTION_PARAM},
                                       {"extrapolate", no_argument, NULL, OPTION_EXTRAPOLATE},
                                       {"top", required_argument, NULL, OPTION_TOP},
                                       {NULL, 0, NULL, 0}};
  static const struct plain plain = {help, list, "one fit, as `heddle fit -o` writes it", 1, 1, take};
  struct own_options options = {0};
  struct trace_error error = {{0}};
  enum print_format format;
  char said[512] = "";
  int status = plain_options(&plain, &options, &format, argc, argv);
  if (status >= 0)
    return status;
  if (!options.name)
    return command_usage(argv[0], "say with --param what to predict, as --param threads=8");
  struct prediction_data *data = prediction_read(argv[optind], &error);
  bool good = data;
  if (good && !prediction_same_parameter(data->parameter, options.name))
    good = trace_fail(&error, "%s has runs at values of %s, not of %s", argv[optind], data->parameter, options.name);
  struct prediction_estimate *estimate = NULL;
  if (good)
    estimate =
        data->numeric ? by_number(&options, data, said, sizeof said, &error) : by_category(&options, data, &error);
  good = estimate && show(&options, format, data, estimate, said);
  if (!good)
    command_error(argv[0], "%s", *error.message ? error.message : "the output cannot be written");
  prediction_estimate_free(estimate);
  prediction_data_free(data);
  return good ? EXIT_DONE : EXIT_FAULT;
}
