/*
 * libFuzzer target: any bytes as a file of `heddle fit`. It is refused, or all that is predicted from it are numbers.
 * Parts of the time and probabilities are from 0 to 1, and times lie in their intervals and add up to the total.
 */
#include "analyzer/models/prediction/prediction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
  if (condition)
    return;
  fprintf(stderr, "fuzz_fit: %s\n", what);
  abort();
}

static bool is_part(double part)
{
  return part >= 0 && part <= 1 + 1e-9;
}

static void check_estimate(const struct prediction_data *data, struct prediction_estimate *estimate)
{
  double total = 0;
  require(estimate, "sound observations give no estimate");
  for (uint32_t i = 0; i < data->state_count; i++) {
    const struct prediction_state_estimate *state = &estimate->states[i];
    require(isfinite(state->time.ticks) && state->time.ticks >= 0, "a time is no number");
    require(!(state->time.low > state->time.ticks) && !(state->time.high < state->time.ticks),
            "a time is outside its interval");
    require(is_part(state->longrun), "a long-run part is none");
    total += state->time.ticks;
  }
  for (uint32_t i = 0; i < data->edge_count; i++)
    require(is_part(estimate->probability[i]), "a probability is none");
  require(fabs(total - estimate->total.ticks) <= 1e-6 * total + 1e-6, "times do not add up to the total");
  prediction_estimate_free(estimate);
}

static void check_functions(const struct prediction_data *data)
{
  struct prediction *prediction = prediction_fit(data);
  require(prediction, "sound observations can't be fitted");
  for (uint32_t i = 0; i < data->group_count; i++)
    check_estimate(data, prediction_predict(prediction, data->groups[i].x, 0.95));
  prediction_free(prediction);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  struct error error = {{0}};
  struct prediction_data *data = prediction_read_bytes((const char *)bytes, size, "input", &error);
  require(data || *error.message, "a file is refused without a word");
  if (data && data->numeric && data->group_count >= 2)
    check_functions(data);
  for (uint32_t i = 0; data && i < data->group_count; i++)
    check_estimate(data, prediction_measured(data, i, 0.95));
  prediction_data_free(data);
  return 0;
}
