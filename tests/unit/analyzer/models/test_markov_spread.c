/* Several runs beside each other: which one stands out, and whether they differ by more than chance. */
#include "analyzer/models/markov/markov.h"
#include "analyzer/models/markov/statistics.h"
#include "tests/unit/analyzer/example.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>

static const struct markov_options usual = {MARKOV_DROP, MARKOV_RESTART, false};

static void close_to(double is, double should_be, double tolerance)
{
  if (!(fabs(is - should_be) <= tolerance))
    fail_msg("%.12g, should be %.12g", is, should_be);
}

/* The example in B. Rosner, Percentage points for a generalized ESD many-outlier procedure, Technometrics 25 (1983). */
static void rosners_three_stand_out(void **state)
{
  static const double values[] = {-0.25, 0.68, 0.94, 1.15, 1.20, 1.26, 1.26, 1.34, 1.38, 1.43, 1.49, 1.49, 1.55, 1.56,
                                  1.58,  1.65, 1.69, 1.70, 1.76, 1.77, 1.81, 1.91, 1.94, 1.96, 1.99, 2.06, 2.09, 2.10,
                                  2.14,  2.15, 2.23, 2.24, 2.26, 2.35, 2.37, 2.40, 2.47, 2.54, 2.62, 2.64, 2.90, 2.92,
                                  2.92,  2.93, 3.21, 3.26, 3.30, 3.59, 3.68, 4.30, 4.64, 5.34, 5.42, 6.01};
  uint32_t which[MARKOV_OUTLIERS_MOST];
  (void)state;
  assert_int_equal(markov_outliers(values, 54, 0.05, which), 3);
  assert_int_equal(which[0], 53);
  assert_int_equal(which[1], 52);
  assert_int_equal(which[2], 51);
}

static void equal_values_do_not_stand_out(void **state)
{
  double values[10];
  uint32_t which[MARKOV_OUTLIERS_MOST];
  (void)state;
  for (int i = 0; i < 10; i++)
    values[i] = 0.1 * 3; /* not a number of bits */
  assert_int_equal(markov_outliers(values, 10, 0.05, which), 0);
  values[4] = 0.31;
  assert_int_equal(markov_outliers(values, 10, 0.05, which), 1);
  assert_int_equal(which[0], 4);
  assert_int_equal(markov_outliers(values, 4, 0.05, which), 0); /* too few */
}

/* Above 0, below 1. */
static double part(struct markov_random *random)
{
  return ((double)(markov_random_next(random) >> 12) + 0.5) / 4503599627370496.0;
}

static double normal(struct markov_random *random)
{
  return sqrt(-2 * log(part(random))) * cos(2 * M_PI * part(random));
}

/* Over 1,000 samples; a rate of `level` has a deviation of sqrt(level / 1000). */
static void false_alarms_are_as_rare_as_the_level(void **state)
{
  static const uint32_t sizes[] = {5, 8, 10, 15, 30};
  const double level = 0.05;
  (void)state;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    struct markov_random random;
    markov_random_seed(&random, 1000 + sizes[s]);
    int alarms = 0;
    for (int sample = 0; sample < 1000; sample++) {
      double values[30];
      uint32_t which[MARKOV_OUTLIERS_MOST];
      for (uint32_t i = 0; i < sizes[s]; i++)
        values[i] = normal(&random);
      alarms += markov_outliers(values, sizes[s], level, which) > 0;
    }
    if (alarms > 1000 * level + 3 * sqrt(1000 * level))
      fail_msg("%d false alarms of 1000 samples of %u values", alarms, sizes[s]);
  }
}

/* Each run alternates between A, whose times are given, and B, whose visits last 10. */
static struct markov_spread *compare(const uint64_t (*times)[4], uint32_t runs)
{
  struct markov_builder *builder = markov_builder_create(&usual, false);
  struct markov_spread *spread;
  struct error error;
  char name[16];
  for (uint32_t run = 0; run < runs; run++) {
    uint64_t ticks[8];
    for (int i = 0; i < 4; i++) {
      ticks[2 * i] = times[run][i];
      ticks[2 * i + 1] = 10;
    }
    struct pes_stream *stream = example_letters(2, "ABABABAB", ticks, 0);
    snprintf(name, sizeof name, "run %u", run);
    assert_true(markov_builder_add(builder, name, stream, &error));
    pes_close(stream);
  }
  struct markov_model *model = markov_builder_finish(builder, &spread, &error);
  assert_non_null(model);
  assert_int_equal(example_find(model, "A"), 0);
  markov_model_free(model);
  markov_builder_free(builder);
  return spread;
}

/* Two runs: means 3 and 5, sums of squares 4 and 4 within, 8 between. Mean squares 8/6 and 8: (8 - 4/3) / 4 = 5/3. */
static void variance_is_told_apart(void **state)
{
  static const uint64_t times[][4] = {{2, 4, 2, 4}, {4, 6, 4, 6}};
  (void)state;
  struct markov_spread *spread = compare(times, 2);
  close_to(spread->apart[0].within, sqrt(4. / 3), 1e-12);
  close_to(spread->apart[0].between, sqrt(5. / 3), 1e-12);
  close_to(spread->apart[0].chance, markov_f_tail(6, 1, 6), 1e-12);
  close_to(spread->apart[1].within, 0, 0);
  close_to(spread->apart[1].between, 0, 0);
  close_to(spread->apart[1].chance, 1, 0);
  assert_int_equal(spread->outlier_count, 0);
  markov_spread_free(spread);
}

/* Equal within themselves, so only the run that is unlike the others stands out: by each figure that A's time is in. */
static void a_run_that_stands_out_is_named(void **state)
{
  static const uint64_t times[][4] = {{20, 22, 20, 22}, {21, 21, 21, 22}, {20, 21, 22, 20},
                                      {22, 22, 20, 20}, {90, 95, 93, 99}, {21, 22, 22, 20}};
  (void)state;
  struct markov_spread *spread = compare(times, 6);
  bool figures[4] = {false};
  assert_int_equal(spread->runs, 6);
  assert_string_equal(spread->names[4], "run 4");
  for (uint32_t i = 0; i < spread->outlier_count; i++) {
    assert_int_equal(spread->outliers[i].run, 4);
    figures[spread->outliers[i].figure] = true;
    if (spread->outliers[i].figure == MARKOV_FIGURE_OCCUPANCY) {
      assert_int_equal(spread->outliers[i].state, 0);
      close_to(spread->outliers[i].value, 377. / 4, 1e-9);
      close_to(spread->outliers[i].others, (84 + 85 + 83 + 84 + 85) / 20., 1e-9);
    }
  }
  for (int i = 0; i < 4; i++)
    assert_true(figures[i]);
  assert_true(spread->apart[0].chance < 1e-9);
  markov_spread_free(spread);
}

UNIT_TEST(markov_spread)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rosners_three_stand_out),
      cmocka_unit_test(equal_values_do_not_stand_out),
      cmocka_unit_test(false_alarms_are_as_rare_as_the_level),
      cmocka_unit_test(variance_is_told_apart),
      cmocka_unit_test(a_run_that_stands_out_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
