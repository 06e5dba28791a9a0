/* Functions of a parameter: laws that are known are found again, intervals hold what they promise, files are not
 * trusted. */
#include "analyzer/models/prediction/prediction.h"
#include "tests/unit/unit.h"

#include "analyzer/models/markov/markov.h"
#include "analyzer/models/markov/statistics.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A program whose run begins in S, goes n times around A B C, once through D and ends. Occupancies in ticks, and n, by
 * these laws of x.
 */
enum { S, A, B, C, D, STATES };

static double law(int state, double x)
{
  switch (state) {
  case S:
    return 5e6;
  case A:
    return 1e6 + 4e6 / x;
  case B:
    return 2e6 + 3e5 * x;
  case C:
    return 7e4 * pow(x, 1.5);
  default:
    return 9e6 - 2e6 * x + 4e5 * x * x;
  }
}

static int rounds(double x)
{
  return 3 + 2 * (int)x;
}

static double truth(int state, double x)
{
  return law(state, x) * (state == S || state == D ? 1 : rounds(x));
}

/* Roughly normal, with deviation 1. */
static double noise(struct markov_random *random)
{
  double sum = 0;
  for (int i = 0; i < 12; i++)
    sum += (double)markov_random_below(random, 1000001) / 1e6;
  return sum - 6;
}

/* A run; each state's occupancies are off by one factor a run. `times`, if not NULL, gets the time in each state. */
static struct pes_stream *make_run(double x, double spread, struct markov_random *random, double *times)
{
  static const char *const names[] = {"S", "A", "B", "C", "D"};
  struct error error;
  struct pes_program *program = pes_program_create("laws [17]", 1000000000);
  struct pes_states *states = pes_states_create(1);
  struct pes_record records[256];
  uint32_t set = pes_program_add_set(program), number[STATES];
  uint64_t occupancy[STATES], time = 1000;
  char text[32];
  size_t count = 0;
  snprintf(text, sizeof text, "%g", x);
  pes_program_set_parameter(program, "size", text);
  for (uint32_t i = 0; i < STATES; i++) {
    pes_program_add_value(program, set, i, names[i], names[i]);
    number[i] = pes_states_intern(states, &i);
    occupancy[i] = (uint64_t)(law((int)i, x) * exp(spread > 0 ? spread * noise(random) : 0) + 0.5);
    if (times)
      times[i] = (double)occupancy[i] * (i == S || i == D ? 1 : rounds(x));
  }
  pes_program_add_component(program, "phase", set);
  for (int i = 0; i < 3 * rounds(x) + 2; i++) {
    int state = i == 0 ? S : i == 3 * rounds(x) + 1 ? D : A + (i - 1) % 3;
    records[count++] = (struct pes_record){time, number[state]};
    time += occupancy[state];
  }
  struct pes_end end = {time, PES_NONE};
  struct pes_stream *stream = pes_from_memory(program, states, records, count, end, &error);
  assert_non_null(stream);
  return stream;
}

static const double sizes[] = {1, 2, 3, 4, 6, 8};
enum { SIZES = sizeof sizes / sizeof *sizes };

static struct prediction_data *measure(int runs, double spread, struct markov_random *random)
{
  struct error error;
  struct prediction_data *data = prediction_data_create((const char *const[]){"size"}, 1);
  for (int i = 0; i < SIZES * runs; i++) {
    struct pes_stream *stream = make_run(sizes[i % SIZES], spread, random, NULL);
    if (!prediction_data_add(data, "run", stream, false, &error))
      fail_msg("%s", error.message);
    pes_close(stream);
  }
  assert_true(prediction_data_group(data, &error));
  return data;
}

static uint32_t find(const struct prediction_data *data, const char *label)
{
  for (uint32_t s = 0; s < data->state_count; s++) {
    if (strcmp(data->states[s], label) == 0)
      return s;
  }
  fail_msg("there is no state %s", label);
  return 0;
}

static void close_to(double is, double should_be, double tolerance)
{
  if (!(fabs(is - should_be) <= tolerance * fabs(should_be)))
    fail_msg("is %.15g, should be %.15g", is, should_be);
}

#define LEVEL 0.95

static struct prediction_estimate *predict(const struct prediction *prediction, double x)
{
  return prediction_predict(prediction, &x, LEVEL);
}

static struct prediction_function choose(const struct prediction_point *points, uint32_t count)
{
  static const bool quadratic[] = {true};
  struct prediction_shapes shapes = prediction_shapes(1, quadratic);
  return prediction_form_choose(points, count, &shapes);
}

static double value(enum prediction_form form, const double *c, double x)
{
  struct prediction_shape shape = prediction_alone(form);
  return prediction_form_value(&shape, c, &x);
}

/* What holds of any estimate. */
static void check_sums(const struct prediction_data *data, const struct prediction_estimate *estimate)
{
  double time = 0, longrun = 0, *rows = calloc(data->state_count + 1, sizeof *rows);
  for (uint32_t s = 0; s < data->state_count; s++) {
    const struct prediction_state_estimate *state = &estimate->states[s];
    assert_true(state->time.low >= 0 && state->time.low <= state->time.ticks && state->time.ticks <= state->time.high);
    time += state->time.ticks;
    longrun += state->longrun;
  }
  close_to(estimate->total.ticks, time, 1e-12);
  close_to(longrun, 1, 1e-9);
  assert_true(estimate->total.low <= time && time <= estimate->total.high);
  for (uint32_t e = 0; e < data->edge_count; e++) {
    uint32_t from = data->edges[e].from == PREDICTION_OUTSIDE ? data->state_count : data->edges[e].from;
    assert_true(estimate->probability[e] >= 0 && estimate->probability[e] <= 1);
    rows[from] += estimate->probability[e];
  }
  for (uint32_t s = 0; s <= data->state_count; s++)
    close_to(rows[s], 1, 1e-9);
  free(rows);
}

static void known_laws_are_found(void **unused)
{
  static const struct {
    const char *label;
    int state;
    enum prediction_form occupancy, visits;
  } expected[] = {{"S", S, PREDICTION_CONSTANT, PREDICTION_CONSTANT},
                  {"A", A, PREDICTION_INVERSE, PREDICTION_LINEAR},
                  {"B", B, PREDICTION_LINEAR, PREDICTION_LINEAR},
                  {"C", C, PREDICTION_POWER, PREDICTION_LINEAR},
                  {"D", D, PREDICTION_QUADRATIC, PREDICTION_CONSTANT}};
  (void)unused;
  struct prediction_data *data = measure(1, 0, NULL);
  struct prediction *prediction = prediction_fit(data);
  struct prediction_estimate *estimate = predict(prediction, 5);
  check_sums(data, estimate);
  assert_string_equal(data->program, "laws");
  assert_int_equal(data->group_count, SIZES);
  for (size_t i = 0; i < STATES; i++) {
    uint32_t s = find(data, expected[i].label);
    assert_int_equal(prediction->occupancy[s].shape.of[0], expected[i].occupancy);
    assert_int_equal(prediction->visits[s].shape.of[0], expected[i].visits);
    close_to(estimate->states[s].occupancy, law(expected[i].state, 5), 1e-5);
    close_to(estimate->states[s].time.ticks, truth(expected[i].state, 5), 1e-5);
    /* The chain's way to it: C is left for D once in 3 + 2 x rounds, a law that 1 / (a + b x) only approximates. */
    close_to(estimate->states[s].longrun, estimate->states[s].time.ticks / estimate->total.ticks, 0.1);
  }
  close_to(prediction->occupancy[find(data, "A")].c[1], 4e6, 1e-5);
  close_to(prediction->occupancy[find(data, "C")].c[1], 1.5, 1e-5);
  close_to(prediction->occupancy[find(data, "D")].c[2], 4e5, 1e-4);
  prediction_estimate_free(estimate);
  prediction_free(prediction);
  prediction_data_free(data);
}

static void forms_are_chosen_for_being_simple(void **unused)
{
  (void)unused;
  struct prediction_point points[] = {{{1}, 10, 1}, {{2}, 10, 1}, {{4}, 10, 1}, {{8}, 10, 1}};
  assert_int_equal(choose(points, 4).shape.of[0], PREDICTION_CONSTANT);
  points[3].y = 17; /* one value off: nothing predicts it from the others */
  assert_int_equal(choose(points, 4).shape.of[0], PREDICTION_CONSTANT);
  for (int i = 0; i < 4; i++)
    points[i].y = 3 + 2 * log(points[i].x[0]);
  assert_int_equal(choose(points, 4).shape.of[0], PREDICTION_LOG);
  struct prediction_function none = choose(points, 0);
  assert_true(none.points == 0 && isnan(none.error));
  assert_true(value(none.shape.of[0], none.c, 3) == 0);
  struct prediction_function one = choose(points, 1);
  assert_int_equal(one.shape.of[0], PREDICTION_CONSTANT);
  assert_true(isnan(one.error));
  double falling[PREDICTION_COEFFICIENTS_MAX] = {10, -3};
  assert_true(value(PREDICTION_LINEAR, falling, 100) == 0); /* no time is negative */
}

static void weights_count(void **unused)
{
  (void)unused;
  struct prediction_point points[] = {{{1}, 10, 3}, {{2}, 20, 1}};
  const struct prediction_shape constant = prediction_alone(PREDICTION_CONSTANT);
  const struct prediction_shape quadratic = prediction_alone(PREDICTION_QUADRATIC);
  double c[PREDICTION_COEFFICIENTS_MAX];
  assert_true(prediction_form_fit(&constant, points, 2, UINT32_MAX, c));
  /* Least relative squares: sum of w / y over sum of w / y^2. */
  close_to(c[0], (3 / 10. + 1 / 20.) / (3 / 100. + 1 / 400.), 1e-12);
  assert_false(prediction_form_fit(&quadratic, points, 2, UINT32_MAX, c));
}

/* Is a new run in its interval about as often as promised? */
static void intervals_hold_new_runs(void **unused)
{
  enum { SEEDS = 400 };
  struct markov_random random;
  int total = 0, single = 0;
  (void)unused;
  markov_random_seed(&random, 7);
  for (int i = 0; i < SEEDS; i++) {
    double times[STATES], sum = 0;
    struct prediction_data *data = measure(3, 0.05, &random);
    struct prediction *prediction = prediction_fit(data);
    struct prediction_estimate *estimate = predict(prediction, 5);
    pes_close(make_run(5, 0.05, &random, times));
    check_sums(data, estimate);
    for (int s = 0; s < STATES; s++)
      sum += times[s];
    total += sum >= estimate->total.low && sum <= estimate->total.high;
    const struct prediction_time *time = &estimate->states[find(data, "A")].time;
    single += times[A] >= time->low && times[A] <= time->high;
    prediction_estimate_free(estimate);
    prediction_free(prediction);
    prediction_data_free(data);
  }
  print_message("new runs: %d, with their total in the interval: %d, with the time in A: %d\n", SEEDS, total, single);
  assert_in_range(total, SEEDS * 92 / 100, SEEDS * 995 / 1000);
  assert_in_range(single, SEEDS * 92 / 100, SEEDS * 995 / 1000);
}

static void beyond_the_values_intervals_widen(void **unused)
{
  struct markov_random random;
  double last = 0;
  (void)unused;
  markov_random_seed(&random, 3);
  struct prediction_data *data = measure(3, 0.05, &random);
  struct prediction *prediction = prediction_fit(data);
  for (double x = 8; x <= 64; x *= 2) {
    struct prediction_extrapolation reach = prediction_extrapolation(data, 0, x);
    close_to(reach.factor, x / 8, 1e-12);
    struct prediction_estimate *estimate = predict(prediction, x);
    double width = estimate->total.high / estimate->total.low;
    check_sums(data, estimate);
    assert_true(width > last);
    last = width;
    prediction_estimate_free(estimate);
  }
  struct prediction_extrapolation below = prediction_extrapolation(data, 0, 0.5),
                                  negative = prediction_extrapolation(data, 0, -6);
  assert_true(!below.above && below.limit == 1 && below.factor == 2);
  assert_true(negative.by_range && negative.factor == 2);
  prediction_free(prediction);
  prediction_data_free(data);
}

static char *written(const struct prediction_data *data, size_t *size)
{
  char path[] = "/tmp/heddle-fit-XXXXXX";
  struct error error;
  struct prediction *prediction = prediction_fit(data);
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  if (!prediction_write(data, prediction, path, &error))
    fail_msg("%s", error.message);
  close(descriptor);
  descriptor = open(path, O_RDONLY); /* another one of that name */
  char *bytes = malloc(1 << 20);
  ssize_t got = read(descriptor, bytes, 1 << 20);
  assert_in_range(got, 1, (1 << 20) - 1);
  *size = (size_t)got;
  close(descriptor);
  unlink(path);
  prediction_free(prediction);
  return bytes;
}

static void files_keep_all(void **unused)
{
  struct markov_random random;
  struct error error;
  size_t size;
  (void)unused;
  markov_random_seed(&random, 5);
  struct prediction_data *data = measure(2, 0.05, &random);
  char *bytes = written(data, &size);
  struct prediction_data *again = prediction_read_bytes(bytes, size, "fit", &error);
  if (!again)
    fail_msg("%s", error.message);
  struct prediction *one = prediction_fit(data), *two = prediction_fit(again);
  struct prediction_estimate *left = predict(one, 5), *right = predict(two, 5);
  assert_true(left->total.ticks == right->total.ticks && left->total.low == right->total.low);
  assert_int_equal(again->state_count, data->state_count);
  assert_memory_equal(left->states, right->states, data->state_count * sizeof *left->states);
  prediction_estimate_free(left);
  prediction_estimate_free(right);
  prediction_free(one);
  prediction_free(two);
  prediction_data_free(data);
  prediction_data_free(again);
  free(bytes);
}

/* Any change is refused with a word, or gives data that predict. */
static void damaged_files_do_no_harm(void **unused)
{
  static const char junk[] = "0-9,[]{}\"nx";
  struct markov_random random;
  struct error error;
  size_t size;
  (void)unused;
  markov_random_seed(&random, 11);
  struct prediction_data *data = measure(1, 0, &random);
  char *bytes = written(data, &size);
  int refused = 0;
  for (int i = 0; i < 2000; i++) {
    size_t at = markov_random_below(&random, size), length = i % 4 == 0 ? at : size;
    char before = bytes[at];
    bytes[at] = junk[markov_random_below(&random, sizeof junk - 1)];
    *error.message = '\0';
    struct prediction_data *read = prediction_read_bytes(bytes, length, "fit", &error);
    bytes[at] = before;
    if (!read) {
      assert_true(*error.message);
      refused++;
      continue;
    }
    struct prediction *prediction = read->numeric && read->group_count >= 2 ? prediction_fit(read) : NULL;
    struct prediction_estimate *estimate = prediction ? predict(prediction, 5) : prediction_measured(read, 0, LEVEL);
    assert_non_null(estimate);
    prediction_estimate_free(estimate);
    prediction_free(prediction);
    prediction_data_free(read);
  }
  assert_true(refused > 0);
  prediction_data_free(data);
  free(bytes);
}

static void unsound_flow_is_refused(void **unused)
{
  static const char *const files[] = {
      /* B is visited, but never come to */
      "\"states\":[\"A\",\"B\"],\"transitions\":[[null,0],[0,null]],"
      "\"runs\":[{\"value\":\"1\",\"visits\":[1,1],\"ticks\":[5,5],\"counts\":[1,1]}]",
      /* B goes around with itself */
      "\"states\":[\"A\",\"B\"],\"transitions\":[[null,0],[0,null],[1,1]],"
      "\"runs\":[{\"value\":\"1\",\"visits\":[1,3],\"ticks\":[5,5],\"counts\":[1,1,3]}]",
      /* time without a visit */
      "\"states\":[\"A\",\"B\"],\"transitions\":[[null,0],[0,null]],"
      "\"runs\":[{\"value\":\"1\",\"visits\":[1,0],\"ticks\":[5,5],\"counts\":[1,1]}]",
      "\"states\":[\"A\",\"A\"],\"transitions\":[[null,0],[0,null]],\"runs\":[]",
      "\"states\":[\"A\"],\"transitions\":[[null,1],[0,null]],\"runs\":[]",
      "\"states\":[\"A\"],\"transitions\":[[null,0],[0,null]],\"runs\":[]",
  };
  (void)unused;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char text[1024];
    struct error error = {{0}};
    snprintf(
        text, sizeof text,
        "{\"format\":\"heddle fit\",\"version\":1,\"program\":\"p\",\"parameter\":\"n\",\"ticks_per_second\":1,%s}",
        files[i]);
    assert_null(prediction_read_bytes(text, strlen(text), "fit", &error));
    assert_non_null(strstr(error.message, "damaged fit"));
  }
}

UNIT_TEST(prediction)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_laws_are_found),
                                     cmocka_unit_test(forms_are_chosen_for_being_simple),
                                     cmocka_unit_test(weights_count),
                                     cmocka_unit_test(intervals_hold_new_runs),
                                     cmocka_unit_test(beyond_the_values_intervals_widen),
                                     cmocka_unit_test(files_keep_all),
                                     cmocka_unit_test(damaged_files_do_no_harm),
                                     cmocka_unit_test(unsound_flow_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
