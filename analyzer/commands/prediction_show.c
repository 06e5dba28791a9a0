#include "analyzer/commands/prediction_show.h"

#include "analyzer/options/command.h"
#include "base/count_of.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int prediction_ask(struct prediction_asked *asked, const char *command, char *argument)
{
  char *equals = strchr(argument, '=');
  if (!equals || equals == argument || equals[1] == '\0')
    return command_usage(command, "--param %s: give NAME=VALUE, as threads=8", argument);
  if (asked->name)
    return command_usage(command, "--param can be given only once: a fit has one parameter");
  *equals = '\0';
  asked->name = argument;
  asked->value = equals + 1;
  return -1;
}

/* "threads=8 is 2.0x beyond the largest seen, 4: not measured there". */
static void describe_reach(const struct prediction_asked *asked, const struct prediction_reach *reach, char *text,
                           size_t size)
{
  if (reach->by_range)
    snprintf(text, size, "%s=%s is %s seen, %g, by %.2g of the measured range: not measured there", asked->name,
             asked->value, reach->above ? "beyond the largest" : "below the smallest", reach->limit, reach->factor - 1);
  else
    snprintf(text, size, "%s=%s is %.1fx %s seen, %g: not measured there", asked->name, asked->value, reach->factor,
             reach->above ? "beyond the largest" : "below the smallest", reach->limit);
}

static struct prediction_estimate *by_category(const struct prediction_answer *answer, struct error *error)
{
  const struct prediction_asked *asked = answer->asked;
  const struct prediction_data *data = answer->data;
  for (uint32_t g = 0; g < data->group_count; g++) {
    if (strcmp(data->groups[g].value, asked->value) != 0)
      continue;
    struct prediction_estimate *estimate = prediction_measured(data, g);
    if (!estimate)
      error_set(error, "out of memory");
    return estimate;
  }
  error_set(
      error,
      "%s=%s was not measured, and there is no interpolation between values that are not numbers; measured: %s%s%s",
      asked->name, asked->value, data->groups[0].value, data->group_count > 1 ? ", " : "",
      data->group_count > 2   ? "..."
      : data->group_count > 1 ? data->groups[1].value
                              : "");
  return NULL;
}

/* Writes into answer->outside how far outside the value is; inside it stays empty. */
static struct prediction_estimate *by_number(struct prediction_answer *answer, struct error *error)
{
  const struct prediction_asked *asked = answer->asked;
  const struct prediction_data *data = answer->data;
  double x;
  if (!prediction_number(asked->value, &x)) {
    error_set(error, "%s=%s is not a number, but all measured values are", asked->name, asked->value);
    return NULL;
  }
  if (data->group_count < PREDICTION_VALUES_LEAST) {
    error_set(error, "the fit has %u values of %s; functions need %d or more", data->group_count, data->parameter,
              PREDICTION_VALUES_LEAST);
    return NULL;
  }
  struct prediction_reach reach = prediction_reach(data, x);
  if (reach.factor > 1) {
    describe_reach(asked, &reach, answer->outside, sizeof answer->outside);
    if (!asked->extrapolate) {
      error_set(error, "%s; --extrapolate predicts it nevertheless, with wider intervals", answer->outside);
      return NULL;
    }
  }
  struct prediction *prediction = prediction_fit(data);
  struct prediction_estimate *estimate = prediction ? prediction_predict(prediction, x) : NULL;
  prediction_free(prediction);
  if (!estimate)
    error_set(error, "out of memory");
  return estimate;
}

bool prediction_answer(struct prediction_answer *answer, const char *fit, const struct prediction_asked *asked,
                       struct error *error)
{
  *answer = (struct prediction_answer){.asked = asked, .data = prediction_read(fit, error)};
  if (!answer->data)
    return false;
  if (!prediction_same_parameter(answer->data->parameter, asked->name))
    return error_set(error, "%s has runs at values of %s, not of %s", fit, answer->data->parameter, asked->name);
  answer->estimate = answer->data->numeric ? by_number(answer, error) : by_category(answer, error);
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

static void put_facts(struct print *print, const struct prediction_answer *answer)
{
  const struct prediction_data *data = answer->data;
  const struct prediction_estimate *estimate = answer->estimate;
  print_csv_facts(print);
  print_fact(print, "program", "Program", PRINT_STRING, print_string(data->program));
  print_fact(print, "parameter", "Parameter", PRINT_STRING, print_string(data->parameter));
  print_fact(print, "value", "Value", PRINT_STRING, print_string(answer->asked->value));
  print_fact(print, "measured_from", "Measured from", PRINT_STRING, print_string(data->groups[0].value));
  print_fact(print, "measured_to", "... to", PRINT_STRING, print_string(data->groups[data->group_count - 1].value));
  print_fact(print, "total", "Total", PRINT_MEAN, print_real(estimate->total.ticks));
  print_fact(print, "total_low", "... from", PRINT_MEAN, known(estimate->total.low));
  print_fact(print, "total_high", "... to", PRINT_MEAN, known(estimate->total.high));
  if (*answer->outside)
    print_fact(print, "outside", "Outside", PRINT_STRING, print_string(answer->outside));
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
  put_facts(print, answer);
  bool good = put_states(print, answer->data, answer->estimate, top);
  if (format != PRINT_TEXT)
    put_transitions(print, answer->data, answer->estimate);
  if (!answer->data->numeric)
    print_sentence(print, "interval",
                   "These are means of measured runs; an interval contains one new run with probability 95 %.");
  else
    print_sentence(print, "interval",
                   "An interval contains one new run with probability 95 %, as estimated by leaving out each value in "
                   "turn and from runs of equal values. Part follows from visits and occupancies, Long-run from "
                   "transition probabilities; if they differ, the functions contradict each other.");
  return good;
}
