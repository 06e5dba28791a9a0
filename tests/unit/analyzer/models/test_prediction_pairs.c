/* Functions of two parameters: known laws are found again, gaps between the measured pairs are reported, and files keep
 * everything. Intervals of 90 % hold new runs, with one parameter and with two. */
#include "analyzer/models/prediction/prediction.h"
#include "tests/unit/unit.h"

#include "analyzer/models/markov/statistics.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run begins in S, goes some times around A B C, once through D and E, and ends. */
enum { S, A, B, C, D, E, STATES, RECORDS_MAX = 256 };
static const char *const names[STATES] = {"S", "A", "B", "C", "D", "E"};

/* Ticks a visit, and rounds, of a program with x threads and size z. */
struct laws {
  double ticks[STATES][4]; /* a + b / x + c z^2 + d z^2 / x: all states have the same terms */
  double bent;             /* C also grows by this power of x, which no form has together with the others */
  double rounds[3];        /* a + b x + c z */
};

static double law(const struct laws *laws, int state, double x, double z)
{
  const double *c = laws->ticks[state];
  double ticks = c[0] + c[1] / x + c[2] * z * z + c[3] * z * z / x;
  return state == C ? ticks * pow(x, laws->bent) : ticks;
}

static int rounds(const struct laws *laws, double x, double z)
{
  return (int)(laws->rounds[0] + laws->rounds[1] * x + laws->rounds[2] * z);
}

static const struct laws exact = {.ticks = {[S] = {500000},
                                            [A] = {1000000, 0, 0, 400},
                                            [B] = {20000, 80000, 3},
                                            [C] = {70000, 160000, 3, 40},
                                            [D] = {0, 0, 0, 8},
                                            [E] = {90000, 0, 2}},
                                  .rounds = {2, 1, 0.01}};

/* Roughly normal, with deviation 1. */
static double noise(struct markov_random *random)
{
  double sum = 0;
  for (int i = 0; i < 12; i++)
    sum += (double)markov_random_below(random, 1000001) / 1e6;
  return sum - 6;
}

static double between(struct markov_random *random, double low, double high)
{
  return low + (high - low) * (double)markov_random_below(random, 1000001) / 1e6;
}

/*
 * A run; its occupancies are off by a factor of the run and one of the state in it, both with deviation `spread`.
 * `other` is the value of a parameter that has no influence, NULL: none. `all` gets the time of the run.
 */
static struct pes_stream *make_run(const struct laws *laws, double x, double z, double spread,
                                   struct markov_random *random, const char *other, double *all)
{
  struct error error;
  struct pes_program *program = pes_program_create("laws [17]", 1000000000);
  struct pes_states *states = pes_states_create(1);
  struct pes_record records[RECORDS_MAX];
  uint32_t set = pes_program_add_set(program), number[STATES], count = 0;
  uint64_t occupancy[STATES], time = 1000;
  double run = spread > 0 ? spread * noise(random) : 0;
  char text[32];
  snprintf(text, sizeof text, "%g", x);
  pes_program_set_parameter(program, "OMP_NUM_THREADS", text);
  snprintf(text, sizeof text, "%g", z);
  pes_program_set_parameter(program, "size", text);
  if (other)
    pes_program_set_parameter(program, "trial", other);
  for (uint32_t i = 0; i < STATES; i++) {
    pes_program_add_value(program, set, i, names[i], names[i]);
    number[i] = pes_states_intern(states, &i);
    double factor = spread > 0 ? exp(run + spread * noise(random)) : 1;
    occupancy[i] = (uint64_t)(law(laws, (int)i, x, z) * factor + 0.5);
  }
  pes_program_add_component(program, "phase", set);
  int middle = 3 * rounds(laws, x, z);
  assert_true(middle + 3 < RECORDS_MAX);
  for (int i = 0; i < middle + 3; i++) {
    int state = i == 0 ? S : i <= middle ? A + (i - 1) % 3 : i == middle + 1 ? D : E;
    records[count++] = (struct pes_record){time, number[state]};
    time += occupancy[state];
  }
  if (all)
    *all = (double)(time - 1000);
  struct pes_end end = {time, PES_NONE};
  struct pes_stream *stream = pes_from_memory(program, states, records, count, end, &error);
  assert_non_null(stream);
  return stream;
}

static void add(struct prediction_data *data, struct pes_stream *stream)
{
  struct error error;
  if (!prediction_data_add(data, "run", stream, false, &error))
    fail_msg("%s", error.message);
  pes_close(stream);
}

static void group(struct prediction_data *data)
{
  struct error error;
  if (!prediction_data_group(data, &error))
    fail_msg("%s", error.message);
}

static const char *const both[] = {"threads", "size"};
static const double threads[] = {1, 2, 4, 8}, sizes[] = {100, 200, 300, 400, 600};
enum { THREADS = sizeof threads / sizeof *threads, SIZES = sizeof sizes / sizeof *sizes };

/* Exact runs at all pairs but one. */
static struct prediction_data *measure_grid(double without_x, double without_z)
{
  struct prediction_data *data = prediction_data_create(both, 2);
  for (int i = 0; i < THREADS; i++) {
    for (int k = 0; k < SIZES; k++) {
      if (threads[i] != without_x || sizes[k] != without_z)
        add(data, make_run(&exact, threads[i], sizes[k], 0, NULL, NULL, NULL));
    }
  }
  group(data);
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

/* One pair alone determines the term of both parameters: how well that is predicted without the pair is unknown. */
static void what_one_pair_alone_tells_is_no_law(void **unused)
{
  static const struct prediction_share shares[] = {{{1, 1}, 100, 1000}, {{2, 1}, 150, 1000}, {{3, 1}, 240, 1000},
                                                   {{1, 2}, 130, 1000}, {{1, 3}, 190, 1000}, {{2, 2}, 900, 1000}};
  (void)unused;
  struct prediction_shapes shapes = prediction_ratio_shapes(2);
  struct prediction_probability chosen = prediction_probability_choose(shares, sizeof shares / sizeof *shares, &shapes);
  assert_int_not_equal(chosen.shape.structure, PREDICTION_FULL);
}

static void known_laws_are_found(void **unused)
{
  static const struct {
    int state;
    enum prediction_structure structure;
    enum prediction_form of[2];
  } expected[] = {{S, PREDICTION_ALONE, {PREDICTION_CONSTANT, PREDICTION_CONSTANT}},
                  {A, PREDICTION_PRODUCT, {PREDICTION_INVERSE, PREDICTION_SQUARE}},
                  {B, PREDICTION_SUM, {PREDICTION_INVERSE, PREDICTION_SQUARE}},
                  {C, PREDICTION_FULL, {PREDICTION_INVERSE, PREDICTION_SQUARE}},
                  {E, PREDICTION_ALONE, {PREDICTION_CONSTANT, PREDICTION_SQUARE}}};
  static const double asked[][2] = {{4, 300}, {3, 250}, {7, 501}};
  (void)unused;
  struct prediction_data *data = measure_grid(4, 300);
  struct prediction *prediction = prediction_fit(data);
  assert_int_equal(data->group_count, THREADS * SIZES - 1);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    const struct prediction_shape *shape = &prediction->occupancy[find(data, names[expected[i].state])].shape;
    assert_int_equal(shape->structure, expected[i].structure);
    assert_int_equal(shape->of[0], expected[i].of[0]);
    assert_int_equal(shape->of[1], expected[i].of[1]);
  }
  assert_int_equal(prediction->visits[find(data, "A")].shape.structure, PREDICTION_SUM);
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    double x = asked[i][0], z = asked[i][1], all = 0, longrun = 0;
    struct prediction_estimate *estimate = prediction_predict(prediction, asked[i], 0.9);
    assert_true(prediction_gap(data, asked[i]).factor == 1);
    for (int s = 0; s < STATES; s++) {
      const struct prediction_state_estimate *state = &estimate->states[find(data, names[s])];
      double visits = s >= A && s <= C ? 2 + x + 0.01 * z : 1;
      close_to(state->occupancy, law(&exact, s, x, z), 1e-9);
      close_to(state->visits, visits, 1e-9);
      close_to(state->time.ticks, law(&exact, s, x, z) * visits, 1e-9);
      all += law(&exact, s, x, z) * visits;
      longrun += state->longrun;
    }
    close_to(estimate->total.ticks, all, 1e-9);
    close_to(longrun, 1, 1e-9);
    prediction_estimate_free(estimate);
  }
  prediction_free(prediction);
  prediction_data_free(data);
}

/* Points of a x^b z^c, which no sum has. */
static void powers_are_found(void **unused)
{
  static const bool quadratic[] = {false, true};
  static const double at[] = {3, 250};
  struct prediction_shapes shapes = prediction_shapes(2, quadratic);
  struct prediction_point points[THREADS * SIZES];
  (void)unused;
  for (int i = 0; i < THREADS * SIZES; i++) {
    double x = threads[i % THREADS], z = sizes[i / THREADS];
    points[i] = (struct prediction_point){{x, z}, 7 * pow(x, -0.6) * pow(z, 1.4), 1};
  }
  struct prediction_function found = prediction_form_choose(points, THREADS * SIZES, &shapes);
  assert_int_equal(found.shape.structure, PREDICTION_POWERS);
  close_to(found.c[1], -0.6, 1e-9);
  close_to(found.c[2], 1.4, 1e-9);
  close_to(prediction_form_value(&found.shape, found.c, at), 7 * pow(3, -0.6) * pow(250, 1.4), 1e-9);
}

/* The error of held-out points from one fit equals the error of fits without each point. */
static void one_fit_tells_the_error_of_leaving_out(void **unused)
{
  static const bool quadratic[] = {false, true};
  struct prediction_shapes shapes = prediction_shapes(2, quadratic);
  struct prediction_point points[THREADS * SIZES];
  struct markov_random random;
  (void)unused;
  markov_random_seed(&random, 4);
  for (int i = 0; i < THREADS * SIZES; i++) {
    double x = threads[i % THREADS], z = sizes[i / THREADS];
    points[i] = (struct prediction_point){{x, z}, (100 + z / x) * exp(0.1 * noise(&random)), 1 + i % 3};
  }
  for (uint32_t k = 0; k < shapes.count; k++) {
    struct prediction_shapes only = {1, 2, {shapes.list[k]}};
    struct prediction_function function = prediction_form_choose(points, THREADS * SIZES, &only);
    double sum = 0, weights = 0;
    for (uint32_t i = 0; i < THREADS * SIZES; i++) {
      double c[PREDICTION_COEFFICIENTS_MAX];
      assert_true(prediction_form_fit(&shapes.list[k], points, THREADS * SIZES, i, c));
      double off = prediction_form_value(&shapes.list[k], c, points[i].x) / points[i].y - 1;
      sum += points[i].weight * off * off;
      weights += points[i].weight;
    }
    close_to(function.error, sqrt(sum / weights), 1e-6);
  }
}

/* Measured along two lines, threads at size 100 and sizes at 1 thread: what both do together is not known. */
static void gaps_are_seen(void **unused)
{
  (void)unused;
  struct prediction_data *data = prediction_data_create(both, 2);
  for (int i = 0; i < THREADS; i++)
    add(data, make_run(&exact, threads[i], 100, 0, NULL, "1", NULL));
  for (int k = 1; k < SIZES; k++)
    add(data, make_run(&exact, 1, sizes[k], 0, NULL, k == 2 ? "2" : "1", NULL));
  group(data);
  assert_int_equal(prediction_data_values(data, 0), THREADS);
  assert_int_equal(prediction_data_values(data, 1), SIZES);
  assert_string_equal(prediction_data_end(data, 1, false), "100");
  assert_string_equal(prediction_data_end(data, 1, true), "600");
  struct prediction_gap none = prediction_gap(data, (double[]){1, 350});
  struct prediction_gap corner = prediction_gap(data, (double[]){8, 300});
  struct prediction_gap beyond = prediction_gap(data, (double[]){1, 1200});
  struct prediction_gap negative = prediction_gap(data, (double[]){1, -400});
  assert_true(none.factor == 1);
  assert_true(corner.factor == 3 && corner.above[0] && corner.above[1]); /* from (8, 100) */
  assert_true(beyond.factor == 2 && beyond.above[1]);
  assert_true(negative.factor == 2 && !negative.above[1]);
  /* Along both lines the product of threads and size is a sum of the two: the points do not distinguish them. */
  struct prediction *prediction = prediction_fit(data);
  for (uint32_t s = 0; s < data->state_count; s++)
    assert_int_not_equal(prediction->occupancy[s].shape.structure, PREDICTION_FULL);
  struct prediction_estimate *inside = prediction_predict(prediction, (double[]){1, 350}, 0.9);
  struct prediction_estimate *far = prediction_predict(prediction, (double[]){8, 300}, 0.9);
  assert_true(far->total.high / far->total.low > inside->total.high / inside->total.low);
  prediction_estimate_free(inside);
  prediction_estimate_free(far);
  prediction_free(prediction);
  uint32_t next = 0;
  const struct prediction_other *other = prediction_data_differs(data, &next);
  assert_non_null(other);
  assert_string_equal(other->name, "trial");
  assert_string_equal(other->value, "1");
  assert_string_equal(other->different, "2");
  assert_null(prediction_data_differs(data, &next));
  prediction_data_free(data);
}

static void files_keep_all(void **unused)
{
  static const double at[] = {4, 300};
  char path[] = "/tmp/heddle-fit-XXXXXX";
  struct error error;
  (void)unused;
  struct prediction_data *data = measure_grid(4, 300);
  struct prediction *one = prediction_fit(data);
  close(mkstemp(path));
  if (!prediction_write(data, one, path, &error))
    fail_msg("%s", error.message);
  struct prediction_data *again = prediction_read(path, &error);
  if (!again)
    fail_msg("%s", error.message);
  unlink(path);
  struct prediction *two = prediction_fit(again);
  struct prediction_estimate *left = prediction_predict(one, at, 0.9), *right = prediction_predict(two, at, 0.9);
  assert_int_equal(again->parameter_count, 2);
  assert_string_equal(again->parameters[1], "size");
  assert_true(left->total.ticks == right->total.ticks && left->total.low == right->total.low);
  assert_memory_equal(left->states, right->states, data->state_count * sizeof *left->states);
  prediction_estimate_free(left);
  prediction_estimate_free(right);
  prediction_free(one);
  prediction_free(two);
  prediction_data_free(data);
  prediction_data_free(again);
}

static void wrong_pairs_are_refused(void **unused)
{
  static const char *const parts[][2] = {{"[\"threads\"]", "[\"1\",\"2\"]"},
                                         {"[\"threads\",\"size\"]", "[\"1\"]"},
                                         {"[\"threads\",\"size\"]", "\"1\""},
                                         {"\"threads\"", "[\"1\",\"2\"]"},
                                         {"[\"a\",\"b\",\"c\"]", "[\"1\",\"2\",\"3\"]"},
                                         {"[\"threads\",5]", "[\"1\",\"2\"]"}};
  (void)unused;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char text[512];
    struct error error = {{0}};
    snprintf(text, sizeof text,
             "{\"format\":\"heddle fit\",\"version\":2,\"program\":\"p\",\"parameters\":%s,\"ticks_per_second\":1,"
             "\"states\":[\"A\"],\"transitions\":[[null,0],[0,null]],"
             "\"runs\":[{\"values\":%s,\"visits\":[1],\"ticks\":[5],\"counts\":[1,1]}]}",
             parts[i][0], parts[i][1]);
    assert_null(prediction_read_bytes(text, strlen(text), "fit", &error));
    assert_non_null(strstr(error.message, "damaged fit"));
  }
}

/* Laws with some coefficients by chance; in half of the cases, one of them is none of the forms. */
static struct laws random_laws(struct markov_random *random)
{
  struct laws laws = {.rounds = {2, between(random, 0, 1.5), between(random, 0, 0.02)}};
  for (int s = 0; s < STATES; s++) {
    laws.ticks[s][0] = between(random, 1e5, 1e6);
    for (int k = 1; k < 4; k++)
      laws.ticks[s][k] = markov_random_below(random, 2) ? between(random, 0, k == 1 ? 3e6 : 30) : 0;
  }
  laws.bent = markov_random_below(random, 2) ? between(random, -0.3, 0.3) : 0;
  return laws;
}

/* Measures runs of a made-up program, and asks for one more at a pair, or a value, that they lack. */
static bool is_held(struct markov_random *random, uint32_t parameters, double *width)
{
  struct laws laws = random_laws(random);
  double spread = between(random, 0.01, 0.08), time;
  int runs = 1 + (int)markov_random_below(random, 3);
  uint32_t i = 1 + (uint32_t)markov_random_below(random, THREADS - 2);
  uint32_t k = 1 + (uint32_t)markov_random_below(random, SIZES - 2);
  double x = threads[i], z = sizes[k];
  struct prediction_data *data = prediction_data_create(parameters == 2 ? both : both + 1, parameters);
  for (int n = 0; n < THREADS * SIZES * runs; n++) {
    uint32_t p = (uint32_t)n % THREADS, q = (uint32_t)n / THREADS % SIZES;
    bool measured = parameters == 2 ? p != i || q != k : p == i && q != k;
    if (measured)
      add(data, make_run(&laws, threads[p], sizes[q], spread, random, NULL, NULL));
  }
  group(data);
  struct prediction *prediction = prediction_fit(data);
  const double pair[] = {x, z};
  struct prediction_estimate *estimate = prediction_predict(prediction, parameters == 2 ? pair : pair + 1, 0.9);
  pes_close(make_run(&laws, x, z, spread, random, NULL, &time));
  bool held = time >= estimate->total.low && time <= estimate->total.high;
  *width += log(estimate->total.high / estimate->total.low) / spread;
  prediction_estimate_free(estimate);
  prediction_free(prediction);
  prediction_data_free(data);
  return held;
}

/* Does an interval of 90 % hold a run of a value that was never measured? */
static void held_out_runs_lie_in_their_intervals(void **unused)
{
  enum { CASES = 200 };
  struct markov_random random;
  int held[2] = {0, 0};
  double width[2] = {0, 0};
  (void)unused;
  markov_random_seed(&random, 2024);
  for (int i = 0; i < CASES; i++)
    held[i % 2] += is_held(&random, i % 2 == 0 ? 1 : 2, &width[i % 2]);
  print_message("%d held-out runs, in their 90 %% interval: %d; %d of %d with one parameter, %d of %d with two. "
                "The intervals are %.1f and %.1f times as wide as the deviation of a state between runs\n",
                CASES, held[0] + held[1], held[0], CASES / 2, held[1], CASES / 2, width[0] / (CASES / 2),
                width[1] / (CASES / 2));
  assert_in_range(held[0] + held[1], CASES * 85 / 100, CASES);
}

UNIT_TEST(prediction_pairs)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_one_pair_alone_tells_is_no_law),
                                     cmocka_unit_test(known_laws_are_found),
                                     cmocka_unit_test(powers_are_found),
                                     cmocka_unit_test(one_fit_tells_the_error_of_leaving_out),
                                     cmocka_unit_test(gaps_are_seen),
                                     cmocka_unit_test(files_keep_all),
                                     cmocka_unit_test(wrong_pairs_are_refused),
                                     cmocka_unit_test(held_out_runs_lie_in_their_intervals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
