/* The sequential test of `heddle try` on made-up times, and which experiments follow from made-up evidence. */
#include "analyzer/findings/try/try.h"
#include "base/hash.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXPERIMENTS = 6, TRIALS = 1000 };

static uint64_t state_of_chance;

static double chance(void) /* above 0, up to 1 */
{
  state_of_chance = hash_mix(state_of_chance + 0x9e3779b97f4a7c15);
  return ((double)(state_of_chance >> 11) + 1) / 9007199254740993.;
}

/* Seconds of a run on a machine that slows down and recovers: noise with a long tail, and a drift. */
static double seconds_of(unsigned round, double seconds, double noise)
{
  double normal = sqrt(-2 * log(chance())) * cos(2 * 3.14159265358979 * chance());
  double tail = chance() < 0.05 ? -noise * 10 * log(chance()) : 0;
  return seconds * exp(noise * normal + tail) * (1 + 0.1 * sin(round / 3.));
}

/* The verdict on a program that takes `with` s in place of 1 s. */
static enum sequential_verdict decide(const struct sequential_plan *plan, const double *without, double with,
                                      double noise, struct sequential *state)
{
  double times[SEQUENTIAL_MOST];
  *state = (struct sequential){.look = 0};
  for (unsigned i = 0; i < plan->looks[plan->count - 1] && state->verdict == SEQUENTIAL_OPEN; i++) {
    times[i] = seconds_of(i, with, noise);
    assert_true(sequential_add(plan, state, without, times, i + 1));
  }
  return state->verdict;
}

static void unchanged_runs(double *without, double noise)
{
  for (unsigned i = 0; i < SEQUENTIAL_MOST; i++)
    without[i] = seconds_of(i, 1, noise);
}

/* Changes without effect, a thousand times: at most one call of a hundred keeps anything. */
static void what_has_no_effect_is_not_kept(void **state)
{
  (void)state;
  static const unsigned lengths[] = {10, 20, SEQUENTIAL_MOST};
  for (unsigned k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    struct sequential_plan plan;
    unsigned kept = 0;
    assert_true(sequential_plan(&plan, lengths[k], TRY_LEVEL / EXPERIMENTS));
    state_of_chance = 4711 + k;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
      double without[SEQUENTIAL_MOST];
      bool any = false;
      unchanged_runs(without, 0.05);
      for (unsigned i = 0; i < EXPERIMENTS; i++) {
        struct sequential test;
        any |= decide(&plan, without, 1, 0.05, &test) == SEQUENTIAL_FASTER;
      }
      kept += any;
    }
    print_message("%u pairs: %u of %u trials kept something\n", lengths[k], kept, (unsigned)TRIALS);
    assert_true(kept <= TRIALS / 100);
  }
}

static void a_gain_is_proved_and_measured(void **state)
{
  (void)state;
  struct sequential_plan plan;
  unsigned proved = 0, covered = 0;
  assert_true(sequential_plan(&plan, SEQUENTIAL_MOST, TRY_LEVEL / EXPERIMENTS));
  state_of_chance = 1;
  for (unsigned trial = 0; trial < 100; trial++) {
    double without[SEQUENTIAL_MOST];
    struct sequential test;
    unchanged_runs(without, 0.05);
    proved += decide(&plan, without, 0.8, 0.05, &test) == SEQUENTIAL_FASTER;
    covered += test.low <= 20 && 20 <= test.high;
  }
  assert_true(proved >= 95);
  assert_true(covered >= 90);
}

static void what_is_slower_ends_early(void **state)
{
  (void)state;
  struct sequential_plan plan;
  struct sequential test;
  double without[SEQUENTIAL_MOST];
  assert_true(sequential_plan(&plan, SEQUENTIAL_MOST, TRY_LEVEL));
  state_of_chance = 2;
  unchanged_runs(without, 0.01);
  assert_int_equal(decide(&plan, without, 1.5, 0.01, &test), SEQUENTIAL_SLOWER);
  assert_int_equal(test.look, 1);
  assert_true(test.gain < -40 && test.gain > -60);
}

/* A certain gain of less than a percent is no reason to change anything. */
static void a_tiny_gain_is_not_kept(void **state)
{
  (void)state;
  struct sequential_plan plan;
  struct sequential test;
  double without[SEQUENTIAL_MOST];
  assert_true(sequential_plan(&plan, SEQUENTIAL_MOST, TRY_LEVEL));
  state_of_chance = 3;
  for (unsigned i = 0; i < SEQUENTIAL_MOST; i++)
    without[i] = 1 + 1e-6 * chance();
  double with[SEQUENTIAL_MOST];
  test = (struct sequential){.look = 0};
  for (unsigned i = 0; i < SEQUENTIAL_MOST && test.verdict == SEQUENTIAL_OPEN; i++) {
    with[i] = 0.995 + 1e-6 * chance();
    assert_true(sequential_add(&plan, &test, without, with, i + 1));
  }
  assert_int_equal(test.verdict, SEQUENTIAL_NO_GAIN);
  assert_float_equal(test.gain, 0.5, 0.01);
}

static void few_pairs_are_refused(void **state)
{
  (void)state;
  struct sequential_plan plan;
  assert_int_equal(sequential_needed(0.01), 5);
  assert_false(sequential_plan(&plan, 4, 0.01));
  assert_true(sequential_plan(&plan, 5, 0.01));
  assert_false(sequential_plan(&plan, 5, 0.01 / 3));
}

static void expect_names(const struct experiments *experiments, const char *const *names)
{
  size_t count = 0;
  for (; names[count]; count++) {
    assert_true(count < experiments->list.count);
    assert_string_equal(experiments->list.items[count].name, names[count]);
  }
  assert_int_equal(experiments->list.count, count);
}

static char *no_arguments[] = {NULL};

static void make(const struct evidence *evidence, char *const *arguments, const char *const *names)
{
  struct experiments experiments = {{0}};
  assert_true(experiments_make(evidence, arguments, &experiments));
  expect_names(&experiments, names);
  experiments_free(&experiments);
}

static void crowds_get_fewer_threads(void **state)
{
  (void)state;
  unsetenv("OMP_WAIT_POLICY");
  struct evidence evidence = {.threads = 8, .processors = 2, .percent = {[ACCOUNT_PROCESSORS] = 40}};
  make(&evidence, no_arguments,
       (const char *[]){"OMP_NUM_THREADS=2", "OMP_WAIT_POLICY=passive", "OMP_DYNAMIC=true", NULL});
  struct experiments experiments = {{0}};
  assert_true(experiments_make(&evidence, no_arguments, &experiments));
  assert_float_equal(experiments.list.items[0].predicted, 40, 1e-9);
  experiments_free(&experiments);
  evidence.percent[ACCOUNT_RUNTIME] = 20; /* which fewer threads make less, too: nobody knows by how much */
  assert_true(experiments_make(&evidence, no_arguments, &experiments));
  assert_true(isnan(experiments.list.items[0].predicted));
  experiments_free(&experiments);
  setenv("OMP_WAIT_POLICY", "PASSIVE", 1);
  make(&evidence, no_arguments, (const char *[]){"OMP_NUM_THREADS=2", "OMP_DYNAMIC=true", NULL});
  unsetenv("OMP_WAIT_POLICY");
  evidence = (struct evidence){.threads = 1, .processors = 4, .percent = {[ACCOUNT_THREADS] = 60}};
  make(&evidence, no_arguments, (const char *[]){"OMP_NUM_THREADS=4", NULL});
}

/* A loop that is static keeps its schedule: programs may rely on which thread gets which iteration. */
static void only_runtime_loops_get_a_schedule(void **state)
{
  (void)state;
  unsetenv("OMP_SCHEDULE");
  char name[] = "!$omp for", file[] = "a.c";
  struct evidence evidence = {.threads = 2, .processors = 2}, probed = evidence;
  struct evidence_loop loop = {
      .place = {name, file, 7}, .recorded = PLAN_STATIC, .lost = 30, .fits = {PLAN_DYNAMIC, 4}};
  assert_true(vector_push(&evidence.loops, loop));
  assert_true(vector_push(&probed.loops, loop));
  assert_string_equal(evidence_probe(&evidence), "dynamic,7");
  evidence_take_probe(&evidence, &probed, "dynamic,7");
  make(&evidence, no_arguments, (const char *[]){NULL});
  setenv("OMP_SCHEDULE", "guided,4", 1); /* the loops that follow it are not static, so they are recorded as static */
  assert_string_equal(evidence_probe(&evidence), "static");
  unsetenv("OMP_SCHEDULE");
  evidence.loops.items[0].recorded = PLAN_DYNAMIC;
  assert_string_equal(evidence_probe(&evidence), "static");
  evidence_take_probe(&evidence, &probed, "static");
  assert_true(evidence.loops.items[0].runtime);
  evidence.loops.items[0].recorded = PLAN_STATIC;
  probed.loops.items[0].recorded = PLAN_DYNAMIC;
  evidence_take_probe(&evidence, &probed, "dynamic,7");
  struct experiments experiments = {{0}};
  assert_true(experiments_make(&evidence, no_arguments, &experiments));
  assert_int_equal(experiments.list.count, 3);
  assert_string_equal(experiments.list.items[0].name, "OMP_SCHEDULE=dynamic,4");
  assert_float_equal(experiments.list.items[0].predicted, 30, 1e-9);
  assert_string_equal(experiments.list.items[0].place->file, "a.c");
  experiments_free(&experiments);
  evidence.loops.items[0].lost = 0.5;
  assert_null(evidence_probe(&evidence));
  make(&evidence, no_arguments, (const char *[]){NULL});
  vector_free(&evidence.loops);
  vector_free(&probed.loops);
}

static void a_chosen_collector_stays(void **state)
{
  (void)state;
  unsetenv("JAVA_TOOL_OPTIONS");
  char java[] = "java", option[] = "-XX:+UseSerialGC";
  char *plain[] = {java, NULL}, *chosen[] = {java, option, NULL};
  struct evidence evidence = {.java = true, .percent = {[ACCOUNT_COLLECTION] = 20}};
  make(&evidence, plain, (const char *[]){"-XX:+UseParallelGC", "-XX:+UseSerialGC", "-XX:+UseG1GC", NULL});
  make(&evidence, chosen, (const char *[]){NULL});
  setenv("JAVA_TOOL_OPTIONS", "-Xmx1g", 1);
  struct experiments experiments = {{0}};
  assert_true(experiments_make(&evidence, plain, &experiments));
  assert_string_equal(experiments.list.items[0].settings[0], "JAVA_TOOL_OPTIONS=-Xmx1g -XX:+UseParallelGC");
  unsetenv("JAVA_TOOL_OPTIONS");
  experiments_free(&experiments);
}

static void settings_replace_variables(void **state)
{
  (void)state;
  setenv("HEDDLE_TEST_TRY", "old", 1);
  char setting[] = "HEDDLE_TEST_TRY=new", *settings[] = {setting, NULL}, **list = environment_with(settings);
  unsigned found = 0;
  for (char **at = list; *at; at++)
    found += strncmp(*at, "HEDDLE_TEST_TRY=", 16) == 0 && strcmp(*at, setting) == 0 ? 1
             : strncmp(*at, "HEDDLE_TEST_TRY=", 16) == 0                            ? 100
                                                                                    : 0;
  assert_int_equal(found, 1);
  free(list);
  unsetenv("HEDDLE_TEST_TRY");
}

UNIT_TEST(try)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_has_no_effect_is_not_kept),
                                     cmocka_unit_test(a_gain_is_proved_and_measured),
                                     cmocka_unit_test(what_is_slower_ends_early),
                                     cmocka_unit_test(a_tiny_gain_is_not_kept),
                                     cmocka_unit_test(few_pairs_are_refused),
                                     cmocka_unit_test(crowds_get_fewer_threads),
                                     cmocka_unit_test(only_runtime_loops_get_a_schedule),
                                     cmocka_unit_test(a_chosen_collector_stays),
                                     cmocka_unit_test(settings_replace_variables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
