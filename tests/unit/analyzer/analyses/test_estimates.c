/*
 * Estimates from some of many instances: the true total lies in the interval in at least 93 % of all seeds, for
 * programs of many kinds. The seeds are fixed: 200, or as many as the argument says.
 */
#include "analyzer/analyses/omitted/estimates/estimate.h"
#include "base/count_of.h"
#include "tests/unit/analyzer/draw.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define INSTANCES 20000
#define PI        3.14159265358979323846

static unsigned long seeds = 200;

static double normal(uint64_t *state)
{
  double radius = sqrt(-2 * log(uniform(state)));
  return radius * cos(2 * PI * uniform(state));
}

/* The duration of instance i, where about one of n is recorded. */
typedef uint64_t population(uint64_t *state, uint64_t i, uint64_t n);

#define POPULATION(name, value)                                                                                        \
  static uint64_t name(uint64_t *state, uint64_t i, uint64_t n)                                                        \
  {                                                                                                                    \
    (void)state, (void)i, (void)n;                                                                                     \
    return (uint64_t)(value);                                                                                          \
  }
POPULATION(constant, 500)
POPULATION(exponential, -1000 * log(uniform(state)))
POPULATION(lognormal, exp(6 + normal(state)))
POPULATION(heavy_tail, exp(6 + 1.5 * normal(state)))
POPULATION(heavier_tail, exp(6 + 2 * normal(state)))
POPULATION(sine, 1000 * (1.01 + sin(2 * PI * (double)i / (double)n)))
POPULATION(long_sine, 1000 * (1.01 + sin(PI * (double)i / (double)n)))
POPULATION(saw, 10 * (i % n) + 10)
POPULATION(spikes, i % n == 0 ? 1000 : 10)
POPULATION(alternating, i % 2 == 0 ? 1000 : 10)
POPULATION(trend, 10 + i / 10)
POPULATION(change, i < INSTANCES * 7 / 10 ? 10 : 500)
POPULATION(some_long, uniform(state) < 0.1 ? 200 : 10)
POPULATION(few_long, uniform(state) < 0.01 ? 1000 : 10)
POPULATION(contended, uniform(state) < 0.05)
POPULATION(slow_start, i == 0 ? 1000000 : 10 + uniform(state))
POPULATION(rare_and_huge, uniform(state) < 1e-4 ? 1000000 : 10)

static const struct {
  const char *name;
  population *value;
  double least; /* share of the seeds; below 0.93 where the sample has hardly any of what is most of the total */
} populations[] = {{"constant", constant, 1},
                   {"exponential", exponential, 0.93},
                   {"lognormal", lognormal, 0.93},
                   {"heavy tail", heavy_tail, 0.93},
                   {"heavier tail", heavier_tail, 0.86},
                   {"sine", sine, 0.93},
                   {"long sine", long_sine, 0.93},
                   {"saw", saw, 0.93},
                   {"spikes", spikes, 0.93},
                   {"alternating", alternating, 0.93},
                   {"trend", trend, 0.93},
                   {"change", change, 0.93},
                   {"some long", some_long, 0.93},
                   {"few long", few_long, 0.93},
                   {"contended", contended, 0.93},
                   {"slow start", slow_start, 0.93},
                   {"rare and huge", rare_and_huge, 0}};

/* Blocks of n, or at first all instances, and then ever longer blocks. */
static uint64_t block_at(uint64_t i, uint64_t n, bool adapting)
{
  return !adapting ? n : i < INSTANCES / 20 ? 1 : i < INSTANCES / 3 ? n / 2 : i < INSTANCES * 2 / 3 ? n : 2 * n;
}

static void add(struct estimate *sum, const struct sampling_step *step)
{
  for (unsigned i = 0; i < step->count; i++)
    estimate_add(sum, &step->parts[i].more);
}

struct outcome {
  double recorded, truth, estimate, half_width;
};

static struct outcome run(population *value, uint64_t n, bool adapting, uint64_t seed)
{
  struct sampling sampling = {0};
  struct sampling_step step;
  struct estimate more = {0};
  uint64_t state = seed * 7919 + n, choice = seed, truth = 0, recorded = 0, weight = 0, left = 0, chosen = 0;
  for (uint64_t i = 0; i < INSTANCES; i++) {
    if (left == 0) {
      left = i == 0 ? 1 : block_at(i, n, adapting); /* the recorder always records the first one */
      chosen = draw(&choice) % left + 1;
    }
    uint64_t ticks = value(&state, i, n);
    truth += ticks;
    weight++;
    if (left-- == chosen) {
      recorded += ticks;
      sampling_take(&sampling, weight, (struct sample){ticks, 0}, &step);
      add(&more, &step);
      weight = 0;
    }
  }
  sampling_end(&sampling, weight, &step);
  add(&more, &step);
  return (struct outcome){(double)recorded, (double)truth, (double)recorded + (double)estimate_more(&more),
                          estimate_half_width(&more)};
}

static void intervals_cover_the_truth(void **unused)
{
  (void)unused;
  static const uint64_t blocks[] = {2, 16, 64};
  bool good = true;
  for (size_t p = 0; p < COUNT_OF(populations); p++)
    for (size_t b = 0; b < COUNT_OF(blocks) * 2; b++) {
      unsigned long covered = 0;
      double error = 0;
      for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct outcome got = run(populations[p].value, blocks[b / 2], b % 2, seed);
        covered += fabs(got.estimate - got.truth) <= got.half_width + 0.5;
        error += got.estimate / got.truth - 1;
      }
      double share = (double)covered / (double)seeds, least = populations[p].least;
      /* A share of few seeds is itself uncertain: two standard deviations. */
      double slack = 2 * sqrt(least * (1 - least) / (double)seeds);
      bool enough = share >= least - slack;
      print_message("%s%-13s 1 in %2llu%s: %.1f %%, mean error %.2f %%\n", enough ? "" : "TOO FEW ",
                    populations[p].name, (unsigned long long)blocks[b / 2], b % 2 ? ", adapting" : "", 100 * share,
                    100 * error / (double)seeds);
      good &= enough;
    }
  assert_true(good);
}

/* Values times weights would be wrong by a sixth here: if the program has the blocks' period, both depend on the place
 * in the block. */
static void periods_do_not_bias(void **unused)
{
  (void)unused;
  double error = 0;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    struct outcome got = run(sine, 16, false, seed);
    error += got.estimate / got.truth - 1;
  }
  assert_true(fabs(error / 50) < 0.01);
}

static void recorded_ones_are_exact(void **unused)
{
  (void)unused;
  struct outcome got = run(heavy_tail, 1, false, 3);
  assert_true(got.estimate == got.truth && got.recorded == got.truth && got.half_width == 0);
}

/* What a few samples say, by hand. */
static void steps(void **unused)
{
  (void)unused;
  struct sampling sampling = {0};
  struct sampling_step step;
  sampling_take(&sampling, 3, (struct sample){10, 7}, &step);
  assert_int_equal(step.count, 0); /* the two before it are known at the end only */
  sampling_take(&sampling, 5, (struct sample){20, 7}, &step);
  assert_int_equal(step.count, 1);
  assert_int_equal(step.parts[0].domain, 7);
  assert_true(estimate_more(&step.parts[0].more) == 60); /* 4 of 15 */
  assert_true(step.parts[0].more.variance == 24 * 50);
  sampling_take(&sampling, 2, (struct sample){8, 9}, &step); /* another lock: half of an instance for each */
  assert_int_equal(step.count, 2);
  assert_true(step.parts[0].domain == 7 && step.parts[0].more.twice == 20);
  assert_true(step.parts[1].domain == 9 && step.parts[1].more.twice == 8);
  sampling_end(&sampling, 10, &step);
  assert_int_equal(step.count, 2);
  assert_true(step.parts[0].domain == 7 && step.parts[0].more.twice == 40);
  assert_true(step.parts[1].domain == 9 && step.parts[1].more.twice == 160);
}

static void little_is_known_of_one_sample(void **unused)
{
  (void)unused;
  struct sampling sampling = {0};
  struct sampling_step step;
  struct estimate more = {0};
  sampling_end(&sampling, 5, &step);
  assert_int_equal(step.count, 0);
  sampling_take(&sampling, 1, (struct sample){10, 0}, &step);
  sampling_end(&sampling, 5, &step);
  add(&more, &step);
  assert_true(estimate_more(&more) == 50 && isinf(estimate_half_width(&more)));
}

/* The first one is recorded always: it stands for itself, unless it is all there is. */
static void the_first_one_stands_for_itself(void **unused)
{
  (void)unused;
  struct sampling sampling = {0};
  struct sampling_step step;
  struct estimate more = {0};
  sampling_take(&sampling, 1, (struct sample){1000000, 0}, &step);
  sampling_take(&sampling, 4, (struct sample){10, 0}, &step);
  assert_int_equal(step.count, 0);
  sampling_take(&sampling, 3, (struct sample){20, 0}, &step);
  add(&more, &step);
  sampling_end(&sampling, 1, &step);
  add(&more, &step);
  assert_true(estimate_more(&more) == 3 * 10 + 2 * 15 + 1 * 20 && isfinite(estimate_half_width(&more)));
}

UNIT_TEST(estimates)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_cover_the_truth),     cmocka_unit_test(periods_do_not_bias),
      cmocka_unit_test(recorded_ones_are_exact),       cmocka_unit_test(steps),
      cmocka_unit_test(little_is_known_of_one_sample), cmocka_unit_test(the_first_one_stands_for_itself),
  };
  if (argc > 1)
    seeds = strtoul(argv[1], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
