/* Runs with different numbers of threads, made up: what `heddle scale` concludes. */
#include "analyzer/findings/scale/scale.h"
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

/* A run that works `work` s at a place of 2 processors, and waits for `lost` s of one kind. */
static void add_run(struct scale_runs *runs, unsigned threads, double duration, double work, double lost, bool atomic)
{
  unsigned __int128 ticks[ACCOUNT_KINDS] = {0};
  ticks[ACCOUNT_WORK] = (unsigned __int128)(work * 1000);
  ticks[ACCOUNT_SERIAL] = (unsigned __int128)(lost * 1000);
  struct scale_run run = {.threads = threads,
                          .most = threads,
                          .processors = 2,
                          .duration = duration,
                          .seconds = {[ACCOUNT_WORK] = work, [ACCOUNT_SERIAL] = lost},
                          .efficiency = efficiency_of(ticks),
                          .first_kind = ACCOUNT_SERIAL,
                          .first = strdup("One thread works alone.")};
  struct scale_place place = {.name = strdup("!$omp for @a.c:7"),
                              .file = strdup("a.c"),
                              .line = 7,
                              .function = strdup("count"),
                              .at_file = strdup("/src/a.c"),
                              .at_line = threads > 1 ? 9 : 8,
                              .atomic = atomic,
                              .work = work - 0.1};
  struct scale_place other = {.name = strdup("main"), .file = strdup(""), .work = 0.1};
  assert_true(vector_push(&run.places, other) && vector_push(&run.places, place) && vector_push(&runs->list, run));
}

static void compare(const struct scale_runs *runs, struct scale *scale)
{
  struct error error;
  if (!scale_compare(runs, scale, &error))
    fail_msg("%s", error.message);
}

static void expect_sentence(const struct scale *scale, const char *part)
{
  char *sentence = scale_sentence(scale);
  assert_says(sentence, part);
  free(sentence);
}

static void work_that_takes_longer_is_named(void **state)
{
  (void)state;
  struct scale_runs runs = {0};
  struct scale scale;
  add_run(&runs, 2, 1.5, 2.9, 0.1, false);
  add_run(&runs, 1, 1.0, 1.0, 0, false);
  compare(&runs, &scale);
  assert_int_equal(scale.steps.count, 2);
  assert_int_equal(scale.steps.items[0].run->threads, 1);
  assert_true(scale.memory);
  assert_string_equal(scale.growths.items[0].place->name, "!$omp for @a.c:7"); /* though its line differs */
  expect_sentence(&scale, "mostly at !$omp for @a.c:7 (count, a.c:9): 2.80 s instead of 0.90 s. This is 63.3 %");
  expect_sentence(&scale, "false sharing");
  for (size_t i = 0; i < 2; i++) { /* work / what there was, compared with one thread */
    const struct scale_step *step = &scale.steps.items[i];
    double all = step->run->seconds[ACCOUNT_WORK] + step->run->seconds[ACCOUNT_SERIAL];
    assert_true(fabs(step->overall - 100 * 1.0 / all) < 1e-6);
  }
  scale_end(&scale);
  scale_free(&runs);
}

static void atomic_instructions_are_named(void **state)
{
  (void)state;
  struct scale_runs runs = {0};
  struct scale scale;
  add_run(&runs, 1, 1.0, 1.0, 0, true);
  add_run(&runs, 2, 1.0, 1.9, 0.1, true);
  compare(&runs, &scale);
  expect_sentence(&scale, "atomic instruction");
  scale_end(&scale);
  scale_free(&runs);
}

/* What costs more goes first. */
static void other_causes_go_first(void **state)
{
  (void)state;
  struct scale_runs runs = {0};
  struct scale scale;
  add_run(&runs, 1, 1.0, 1.0, 0, false);
  add_run(&runs, 2, 1.0, 1.3, 0.7, false);
  compare(&runs, &scale);
  assert_false(scale.memory);
  expect_sentence(&scale, "With 2 threads: One thread works alone.");
  scale_end(&scale);
  scale_free(&runs);
}

static void the_median_run_counts(void **state)
{
  (void)state;
  struct scale_runs runs = {0};
  struct scale scale;
  struct error error;
  add_run(&runs, 2, 9.0, 9.0, 9, false);
  add_run(&runs, 2, 0.6, 1.0, 0.2, false);
  add_run(&runs, 2, 0.7, 1.0, 0.4, false);
  assert_false(scale_compare(&runs, &scale, &error)); /* one number of threads */
  assert_says(error.message, "all runs have 2 threads");
  scale_end(&scale);
  add_run(&runs, 1, 1.4, 1.0, 0, false);
  compare(&runs, &scale);
  assert_int_equal(scale.steps.items[1].runs, 3);
  assert_true(fabs(scale.steps.items[1].speedup - 2) < 1e-9);
  scale_end(&scale);
  scale_free(&runs);
}

static void expect_law(const struct scale_law *law, double serial, double crosstalk)
{
  assert_true(fabs(law->serial - serial) < 1e-9);
  assert_true(fabs(law->crosstalk - crosstalk) < 1e-9);
}

/* W(n) = 1 + 0.1 (n - 1) + 0.01 n (n - 1), by number of runs. */
static void a_law_needs_as_many_numbers_as_it_has_terms(void **state)
{
  (void)state;
  struct scale_work works[] = {{1, 1}, {2, 1.12}, {4, 1.42}, {8, 2.26}};
  struct scale_law law, low, high;
  scale_fit(works, 4, &law, &low, &high);
  expect_law(&law, 0.1, 0.01);
  scale_fit(works, 2, &law, &low, &high);
  expect_law(&law, 0.12, 0);
  expect_law(&low, 0, 0);
  expect_law(&high, 0, 0.06);
  scale_fit(works, 1, &law, &low, &high);
  expect_law(&high, 0, 0);
}

static void less_work_and_noise_are_no_growth(void **state)
{
  (void)state;
  struct scale_work works[] = {{1, 1}, {2, 0.9}};
  struct scale_law law, low, high;
  scale_fit(works, 2, &law, &low, &high);
  expect_law(&law, 0, 0);
  expect_law(&high, 0, 0);
  works[1].work = 1.01;
  scale_fit(works, 2, &law, &low, &high);
  expect_law(&law, 0, 0);
  expect_law(&high, 0.01, 0);
}

/* A parallel region of 1 s of work that is divided, and 0.5 s that one thread does before it. */
static void add_parts(struct scale_runs *runs, unsigned threads, double work, double serial)
{
  add_run(runs, threads, serial + work / threads, work, 0, false);
  struct scale_part region = {.form = SCALE_REGION,
                              .name = strdup("!$omp parallel @a.c:5"),
                              .file = strdup("a.c"),
                              .line = 5,
                              .wall = work / threads,
                              .work = work};
  assert_true(vector_push(&runs->list.items[runs->list.count - 1].parts, region));
}

static void more_threads_are_predicted(void **state)
{
  (void)state;
  struct scale_runs runs = {0};
  struct scale scale;
  struct scale_prediction predictions[2];
  struct error error;
  uint32_t first;
  scale_set_teams(&runs, (unsigned[]){4, 64}, 2, &first);
  add_parts(&runs, 1, 1, 0.5);
  add_parts(&runs, 2, 1.2, 0.5);
  compare(&runs, &scale);
  assert_true(scale_predict(&runs, &scale, first, predictions, &error));
  assert_true(fabs(predictions[0].time - (0.5 + 1.6 / 4)) < 1e-9);
  assert_true(fabs(predictions[0].low - (0.5 + 1.2 / 4)) < 1e-9);  /* no more growth */
  assert_true(fabs(predictions[0].high - (0.5 + 2.2 / 4)) < 1e-9); /* crosstalk alone */
  assert_string_equal(predictions[0].limit, "one thread works outside of parallel regions");
  assert_false(predictions[1].measured);
  scale_end(&scale);
  add_parts(&runs, 4, 1.6, 0.9);
  compare(&runs, &scale);
  assert_false(scale_predict(&runs, &scale, first, predictions, &error));
  assert_says(error.message, "no prediction: from the run with 4 threads");
  scale_end(&scale);
  scale_free(&runs);
}

UNIT_TEST(scale)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_that_takes_longer_is_named),
      cmocka_unit_test(atomic_instructions_are_named),
      cmocka_unit_test(other_causes_go_first),
      cmocka_unit_test(the_median_run_counts),
      cmocka_unit_test(a_law_needs_as_many_numbers_as_it_has_terms),
      cmocka_unit_test(less_work_and_noise_are_no_growth),
      cmocka_unit_test(more_threads_are_predicted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
