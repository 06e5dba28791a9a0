/*
 * Estimates from some of many instances: the true total lies in the interval in at least 93 % of all seeds, for
 * programs of many kinds. The seeds are fixed: 200, or as many as the argument says.
 */
#include "analyzer/estimates/sampling.h"
#include "analyzer/estimates/unseen.h"
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

#define TEAM    3
#define CALLS   0
#define REGIONS 8000

/* What a thread of the team does in region i: a part of what the region has to do, or another one by chance. */
static uint64_t part_of(uint64_t *state, uint64_t all, unsigned thread, bool alike)
{
  return alike ? all / TEAM : thread == (unsigned)(uniform(state) * TEAM) ? all : 0;
}

static bool add_more(void *context, uint64_t key, const struct estimate *more)
{
  assert_int_equal(key, CALLS);
  estimate_add_dependent(context, more);
  return true;
}

/* A program of regions, of which the team sees one of n: all threads the same ones. */
static struct outcome run_regions(population *value, uint64_t n, bool alike, uint64_t seed)
{
  struct unseen threads[TEAM] = {0};
  struct estimate more = {0};
  uint64_t state = seed * 7919 + n, choice = seed, truth = 0, recorded = 0, left = 0, chosen = 0;
  for (uint64_t i = 0; i < REGIONS; i++) {
    if (left == 0) {
      left = i == 0 ? 1 : n;
      chosen = draw(&choice) % left + 1;
    }
    uint64_t all = value(&state, i * (INSTANCES / REGIONS), n * (INSTANCES / REGIONS));
    bool seen = left-- == chosen;
    for (unsigned k = 0; k < TEAM; k++) {
      uint64_t part = part_of(&state, all, k, alike);
      truth += part;
      recorded += seen ? part : 0;
      assert_true(seen ? unseen_enter(&threads[k], 7) : unseen_skip(&threads[k], 7, 1));
      assert_true(!seen || part == 0 || unseen_add(&threads[k], CALLS, part, false));
      if (seen)
        unseen_leave(&threads[k]);
    }
  }
  for (unsigned k = 0; k < TEAM; k++) {
    assert_true(unseen_end(&threads[k], add_more, &more));
    unseen_free(&threads[k]);
  }
  return (struct outcome){(double)recorded, (double)truth, (double)recorded + (double)estimate_more(&more),
                          estimate_half_width(&more)};
}

/* Also where the threads of a team do alike in a region: then their errors are the same. */
static void unseen_regions_are_covered(void **unused)
{
  (void)unused;
  static const uint64_t blocks[] = {2, 8, 32};
  bool good = true;
  for (size_t p = 0; p < COUNT_OF(populations); p++)
    for (size_t b = 0; b < COUNT_OF(blocks) * 2; b++) {
      if (populations[p].least < 0.93 || populations[p].value == few_long)
        continue; /* of so few regions hardly any has what is most of the total */
      unsigned long covered = 0;
      for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct outcome got = run_regions(populations[p].value, blocks[b / 2], b % 2, seed);
        covered += fabs(got.estimate - got.truth) <= got.half_width + TEAM;
      }
      double share = (double)covered / (double)seeds, slack = 2 * sqrt(0.93 * 0.07 / (double)seeds);
      print_message("%s%-13s 1 in %2llu regions, threads %s: %.1f %%\n", share >= 0.93 - slack ? "" : "TOO FEW ",
                    populations[p].name, (unsigned long long)blocks[b / 2], b % 2 ? "alike" : "differ", 100 * share);
      good &= share >= 0.93 - slack;
    }
  assert_true(good);
}

/* By hand: what comes late counts for the region before, and what is in no region counts nowhere. */
static void unseen_steps(void **unused)
{
  (void)unused;
  struct unseen unseen = {0};
  struct estimate more = {0};
  assert_true(unseen_add(&unseen, CALLS, 1000, true));
  for (uint64_t i = 0; i < 3; i++) {
    assert_true(unseen_skip(&unseen, 7, 4));
    assert_true(unseen_skip(&unseen, 8, 100)); /* a region of which no instance is seen */
    assert_true(unseen_enter(&unseen, 7) && unseen_enter(&unseen, 9));
    unseen_leave(&unseen);
    if (i > 0) /* the first one had none */
      assert_true(unseen_add(&unseen, CALLS, 10 * i, false));
    unseen_leave(&unseen);
    assert_true(unseen_add(&unseen, CALLS, 1000, false));
  }
  assert_true(unseen_add(&unseen, CALLS, 4, true));
  assert_true(unseen_skip(&unseen, 7, 5));
  assert_true(unseen_end(&unseen, add_more, &more));
  assert_true(estimate_more(&more) == 4 * 0 + 4 * 5 + 4 * 17 + 5 * 24);
  assert_int_equal(more.left_out, 4 + 4 + 4 + 5);
  unseen_free(&unseen);
}

static void dependent_errors_add_up(void **unused)
{
  (void)unused;
  struct estimate one = {.twice = 200, .variance = 9, .left_out = 5, .of_squares = 81.0 / 10}, both = one;
  estimate_add_dependent(&both, &one);
  assert_true(both.twice == 400 && both.left_out == 10);
  assert_true(fabs(both.variance - 36) < 1e-9);
  assert_true(fabs(both.variance * both.variance / both.of_squares - 10) < 1e-9); /* the same degrees of freedom */
  assert_true(fabs(estimate_half_width(&both) - 2 * estimate_half_width(&one)) < 1e-9);
  one.variance = INFINITY;
  estimate_add_dependent(&both, &one);
  assert_true(isinf(estimate_half_width(&both)));
}

/* Values times weights would be wrong by a sixth here: where a period is that of the blocks, both depend on the place
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
      cmocka_unit_test(intervals_cover_the_truth),
      cmocka_unit_test(periods_do_not_bias),
      cmocka_unit_test(unseen_regions_are_covered),
      cmocka_unit_test(unseen_steps),
      cmocka_unit_test(dependent_errors_add_up),
      cmocka_unit_test(recorded_ones_are_exact),
      cmocka_unit_test(steps),
      cmocka_unit_test(little_is_known_of_one_sample),
      cmocka_unit_test(the_first_one_stands_for_itself),
  };
  if (argc > 1)
    seeds = strtoul(argv[1], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
