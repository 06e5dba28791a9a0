/* Distribution functions against tables, and validation: a model's own runs pass, and others do not. */
#include "analyzer/models/markov/statistics.h"
#include "tests/unit/analyzer/example.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct markov_options usual = {MARKOV_DROP, MARKOV_RESTART, false};
static const struct markov_validate_options rules = {
    .level = .05, .tolerance = .05, .unseen = 1e9, .seed = 1, .replications = 99};

static void within(double is, double should_be, double relative)
{
  if (!(fabs(is - should_be) <= relative * fabs(should_be)))
    fail_msg("is %.15g, should be %.15g", is, should_be);
}

/* Closed forms where there are any, else tables. */
static void distribution_functions(void **state)
{
  (void)state;
  within(markov_chi_square_tail(3, 2), exp(-1.5), 1e-12);
  within(markov_chi_square_tail(50, 4), exp(-25) * 26, 1e-10);
  within(markov_chi_square_tail(4, 1), erfc(sqrt(2)), 1e-10);
  within(markov_chi_square_tail(18.307038053275146, 10), .05, 1e-9);
  within(markov_chi_square_tail(124.34211340400407, 100), .05, 1e-9);
  assert_true(markov_chi_square_tail(0, 5) == 1);
  within(markov_student_quantile(.95, 1), tan(.95 * acos(0)), 1e-9);
  within(markov_student_quantile(.95, 2), .95 * sqrt(2 / (1 - .95 * .95)), 1e-9);
  within(markov_student_quantile(.95, 9), 2.2621571627409915, 1e-9);
  within(markov_student_quantile(.99, 30), 2.7499956535670311, 1e-9);
  within(markov_ks_tail(1.3580986 / 1e6, 2e12, 2e12), .05, 1e-4); /* Kolmogorov's 5 % point */
  assert_true(markov_ks_tail(0, 10, 10) == 1);
}

static void homogeneity(void **state)
{
  (void)state;
  /* By hand: expected 30, 20 in each row of 50; (36 - 30)^2 / 30 and so on. */
  struct markov_cell_pair cells[] = {{36, 24}, {14, 26}};
  struct markov_homogeneity sums = {0};
  markov_homogeneity_add(&sums, cells, 2);
  within(sums.chi_square, 2 * (36. / 30 + 36. / 20), 1e-12);
  assert_true(sums.freedom == 1 && sums.tested == 50 && sums.all == 50);
  /* Rare ones are pooled, and a row that is too small is omitted. */
  struct markov_cell_pair rare[] = {{30, 30}, {2, 3}, {3, 2}, {2, 1}}, small[] = {{2, 1}, {1, 2}};
  markov_homogeneity_add(&sums, rare, 4);
  assert_true(sums.freedom == 2 && sums.tested == 86);
  markov_homogeneity_add(&sums, small, 2);
  assert_true(sums.freedom == 2 && sums.tested == 86 && sums.all == 89);
}

/* The largest distance of two samples, by hand. */
static void distances(void **state)
{
  (void)state;
  struct markov_distribution left, right;
  double d;
  markov_distribution_begin(&left);
  markov_distribution_begin(&right);
  markov_distribution_add(&left, 1, 1);
  markov_distribution_add(&left, 3, 3);
  markov_distribution_add(&right, 2, 2);
  markov_distribution_add(&right, 3, 2);
  assert_true(markov_ks_distance(&left, &right, &d));
  within(d, .25, 1e-12);
  markov_distribution_add(&right, 5, 4);
  assert_true(markov_ks_distance(&left, &right, &d));
  within(d, .5, 1e-12);
  markov_distribution_free(&left);
  markov_distribution_free(&right);
}

/* A chain of three states whose rows are all of chance, and whose occupancies are, too. */
static struct markov_model *base_model(void)
{
  static const char letters[] = "AABCACBBACCABABCBAACBCCA";
  uint64_t ticks[sizeof letters];
  for (size_t i = 0; i < sizeof letters; i++)
    ticks[i] = 100 + 37 * i % 61 * (1 + i % 5);
  return example_model(example_letters(3, letters, ticks, 0), &usual);
}

static struct pes_stream *run_of(const struct markov_model *model, uint64_t seed, uint64_t records)
{
  struct error error = {{0}};
  struct markov_simulation simulation = {.seed = seed, .ticks = UINT64_MAX, .records = records};
  struct pes_stream *stream = markov_simulate(model, &simulation, &error);
  assert_non_null(stream);
  return stream;
}

static struct markov_validation *validated(struct markov_model *model, struct pes_stream *stream)
{
  struct error error = {{0}};
  struct markov_validation *validation = markov_validate(model, stream, &rules, &error);
  if (!validation)
    fail_msg("%s", error.message);
  pes_close(stream);
  return validation;
}

/*
 * Model and run both drawn from one chain, many times: a test at 5 % rejects about 5 %. It rejects 10 out of 200 on
 * average, and 22 or more with a probability below 1/1000. The test of occupancies may reject less, for times are whole
 * ticks.
 */
static void own_runs_pass(void **state)
{
  (void)state;
  enum { TRIALS = 200 };
  struct markov_model *truth = base_model();
  unsigned rejected[MARKOV_QUESTIONS] = {0}, any = 0;
  for (uint64_t trial = 0; trial < TRIALS; trial++) {
    struct markov_model *model = example_model(run_of(truth, 1000 + trial, 600), &usual);
    struct markov_validation *validation = validated(model, run_of(truth, 5000 + trial, 500));
    bool all_hold = true;
    for (int i = 0; i < MARKOV_QUESTIONS; i++) {
      bool may_lack = i == MARKOV_TAILS || i == MARKOV_PHASES; /* the runs are short */
      if (validation->tests[i].method == MARKOV_NO_METHOD && may_lack)
        continue;
      assert_int_not_equal(validation->tests[i].method, MARKOV_NO_METHOD);
      rejected[i] += validation->tests[i].p < .05;
      all_hold &= validation->tests[i].outcome != MARKOV_DIFFERS;
    }
    any += !all_hold;
    assert_false(validation->same_run);
    markov_validation_free(validation);
    markov_model_free(model);
  }
  for (int i = 0; i < MARKOV_QUESTIONS; i++) {
    if (rejected[i] > 21)
      fail_msg("question %d: %u of %d rejected", i, rejected[i], TRIALS);
  }
  assert_in_range(rejected[MARKOV_TRANSITIONS], 2, 21);
  assert_in_range(rejected[MARKOV_ORDER], 2, 21);
  assert_in_range(rejected[MARKOV_SHARES], 2, 21);
  assert_in_range(any, 0, 21);
  markov_model_free(truth);
}

/* The state before B also follows B: a chain of second order, with the transitions of a first-order chain. */
static struct pes_stream *second_order(uint64_t seed, size_t records)
{
  struct markov_random random;
  char *letters = calloc(records + 2, 1);
  uint64_t *ticks = calloc(records + 2, sizeof *ticks);
  markov_random_seed(&random, seed);
  for (size_t i = 0; i + 1 < records; i += 2) {
    bool same = i >= 2 && markov_random_below(&random, 100) < 90;
    letters[i] = same ? letters[i - 2] : (char)('A' + 2 * markov_random_below(&random, 2));
    letters[i + 1] = 'B';
    ticks[i] = 50 + markov_random_below(&random, 50);
    ticks[i + 1] = 10 + markov_random_below(&random, 10);
  }
  struct pes_stream *stream = example_letters(3, letters, ticks, 0);
  free(letters);
  free(ticks);
  return stream;
}

static void second_order_is_noticed(void **state)
{
  (void)state;
  struct markov_model *model = example_model(second_order(1, 4000), &usual);
  struct markov_validation *validation = validated(model, second_order(2, 4000));
  assert_int_equal(validation->tests[MARKOV_ORDER].outcome, MARKOV_DIFFERS);
  assert_true(validation->tests[MARKOV_ORDER].freedom == 1);
  assert_true(validation->tests[MARKOV_ORDER].p < 1e-10);
  assert_int_not_equal(validation->tests[MARKOV_OCCUPANCIES].outcome, MARKOV_DIFFERS);
  markov_validation_free(validation);
  markov_model_free(model);
}

/* Other occupancies, other routing, states that the model never saw. */
static void other_runs_fail(void **state)
{
  (void)state;
  struct markov_model *truth = base_model();
  struct markov_model *model = example_model(run_of(truth, 1, 5000), &usual);
  struct markov_validation *validation = validated(model, second_order(3, 2000));
  assert_int_equal(validation->tests[MARKOV_SHARES].outcome, MARKOV_DIFFERS);
  assert_int_equal(validation->tests[MARKOV_TRANSITIONS].outcome, MARKOV_DIFFERS);
  assert_int_equal(validation->tests[MARKOV_OCCUPANCIES].outcome, MARKOV_DIFFERS);
  markov_validation_free(validation);
  static const uint64_t ticks[] = {10, 10, 10, 30, 20};
  validation = validated(model, example_letters(4, "ABCDA", ticks, 0));
  within(validation->unknown, 30. / 80, 1e-12);
  assert_int_equal(validation->new_transitions, 2);
  markov_validation_free(validation);
  markov_model_free(model);
  markov_model_free(truth);
}

static void the_same_run_is_told(void **state)
{
  (void)state;
  struct markov_model *model = example_model(example_thesis(), &usual);
  struct markov_validation *validation = validated(model, example_thesis());
  assert_true(validation->same_run);
  assert_true(validation->tests[MARKOV_SHARES].difference == 0);
  assert_true(validation->tests[MARKOV_TRANSITIONS].difference == 0);
  assert_true(validation->unknown == 0 && validation->new_transitions == 0);
  markov_validation_free(validation);
  markov_model_free(model);
}

UNIT_TEST(markov_validate)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distribution_functions),
      cmocka_unit_test(homogeneity),
      cmocka_unit_test(distances),
      cmocka_unit_test(own_runs_pass),
      cmocka_unit_test(second_order_is_noticed),
      cmocka_unit_test(other_runs_fail),
      cmocka_unit_test(the_same_run_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
