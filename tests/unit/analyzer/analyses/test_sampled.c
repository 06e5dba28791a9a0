/*
 * Constructs with omitted instances of teams. The true sums lie in the interval for at least 93 % of all seeds.
 * Programs of several kinds omit regions, or constructs, or both. The seeds are fixed: 200, or as many as the argument
 * says.
 */
#include "analyzer/analyses/imbalance/imbalance.h"
#include "analyzer/analyses/imbalance/sampled.h"
#include "base/count_of.h"
#include "tests/unit/analyzer/draw.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define REGIONS 2000
#define LOOPS   6 /* of each region */
#define PI      3.14159265358979323846

static unsigned long seeds = 200;

/* What is lost in loop k of region i. */
typedef double population(uint64_t *state, unsigned i, unsigned k);

#define POPULATION(name, value)                                                                                        \
  static double name(uint64_t *state, unsigned i, unsigned k)                                                          \
  {                                                                                                                    \
    (void)state, (void)i, (void)k;                                                                                     \
    return value;                                                                                                      \
  }
POPULATION(constant, 500)
POPULATION(exponential, -1000 * log(uniform(state)))
POPULATION(triangle, 100 * (LOOPS - k))
POPULATION(period_of_the_blocks, 1000 * (1.01 + sin(2 * PI * i / 16)))
POPULATION(alternating, (i + k) % 2 ? 1000 : 10)
POPULATION(change, i < REGIONS * 7 / 10 ? 10 : 500)
POPULATION(cold_start, i + k == 0 ? 1e6 : 100 + 10 * uniform(state))
POPULATION(now_and_then, uniform(state) < 0.1 ? 2000 : 10)

static const struct {
  const char *name;
  population *value;
} populations[] = {{"constant", constant},       {"exponential", exponential},
                   {"triangle", triangle},       {"period of the blocks", period_of_the_blocks},
                   {"alternating", alternating}, {"change", change},
                   {"cold start", cold_start},   {"now and then", now_and_then}};

/* One of `every` in each block; the first one always. */
struct row {
  uint64_t every, left, chosen;
  bool any;
};

static bool is_chosen(struct row *row, uint64_t *choice)
{
  if (row->left == 0) {
    row->left = row->any ? row->every : 1;
    row->chosen = draw(choice) % row->left + 1;
    row->any = true;
  }
  return row->left-- == row->chosen;
}

enum { LOOP, REGION, CONSTRUCTS };
#define LEADER 3
static const struct sampled_place loop_place = {LOOP, LEADER}, region_place = {REGION, LEADER};

struct program {
  struct sampled *sampled;
  struct imbalance imbalance;
  double truth[CONSTRUCTS];
};

/* An instance is recorded: all its figures are the same. */
static void record(struct program *program, struct sampled_place place, double ticks)
{
  struct figures figures;
  for (size_t i = 0; i < IMBALANCE_FIGURES; i++)
    figures.values[i] = (uint64_t)ticks;
  struct imbalance_construct *construct = &program->imbalance.constructs[place.region];
  construct->calls++;
  construct->elapsed += figures.values[0];
  fine_total_add(&construct->imbalance, (double)figures.values[0]);
  assert_true(sampled_add(program->sampled, place, sampled_lead(program->sampled, place), &figures));
}

static void omit(struct program *program, struct sampled_place place, struct sampled_gap gap)
{
  assert_true(sampled_omit(program->sampled, place, gap));
}

/* A region's time is the time of its loops. */
static void run_region(struct program *program, population *value, uint64_t *state, uint64_t *choice,
                       struct row rows[CONSTRUCTS], unsigned i)
{
  bool recorded = is_chosen(&rows[REGION], choice);
  double sum = 0;
  for (unsigned k = 0; k < LOOPS; k++) {
    double ticks = floor(value(state, i, k));
    sum += ticks;
    if (!recorded)
      omit(program, loop_place, (struct sampled_gap){0, 1});
    else if (is_chosen(&rows[LOOP], choice))
      record(program, loop_place, ticks);
    else
      omit(program, loop_place, (struct sampled_gap){1, 0});
  }
  if (recorded)
    record(program, region_place, sum);
  else
    omit(program, region_place, (struct sampled_gap){1, 0});
  program->truth[LOOP] += sum;
  program->truth[REGION] += sum;
}

/* Adds to `covered` which constructs' truths lie in their intervals. */
static void run(population *value, uint64_t regions, uint64_t loops, uint64_t seed, unsigned long covered[CONSTRUCTS])
{
  struct program program = {.imbalance = {.count = CONSTRUCTS}};
  program.imbalance.constructs = calloc(CONSTRUCTS, sizeof *program.imbalance.constructs);
  program.sampled = sampled_create(&program.imbalance);
  struct row rows[CONSTRUCTS] = {[LOOP] = {.every = loops}, [REGION] = {.every = regions}};
  uint64_t state = seed * 7919, choice = seed;
  for (unsigned i = 0; i < REGIONS; i++)
    run_region(&program, value, &state, &choice, rows, i);
  assert_true(sampled_finish(program.sampled));
  assert_int_equal(program.imbalance.constructs[REGION].calls, REGIONS);
  assert_int_equal(program.imbalance.constructs[LOOP].calls, REGIONS * LOOPS);
  for (unsigned i = 0; i < CONSTRUCTS; i++) {
    const struct imbalance_construct *construct = &program.imbalance.constructs[i];
    double got = fine_total_ticks(construct->imbalance);
    assert_true(fabs(got - (double)construct->elapsed) < 1); /* both kinds of sums */
    covered[i] += fabs(got - program.truth[i]) <= imbalance_half_width(construct, IMBALANCE_TICKS) + 1;
  }
  sampled_destroy(program.sampled);
  analysis_free(&imbalance_analysis, &program.imbalance);
}

static void intervals_cover_the_truth(void **unused)
{
  (void)unused;
  static const struct {
    uint64_t regions, loops;
  } omissions[] = {{16, 1}, {1, 16}, {16, 4}};
  bool good = true;
  for (size_t p = 0; p < COUNT_OF(populations); p++)
    for (size_t t = 0; t < COUNT_OF(omissions); t++) {
      unsigned long covered[CONSTRUCTS] = {0};
      for (uint64_t seed = 1; seed <= seeds; seed++)
        run(populations[p].value, omissions[t].regions, omissions[t].loops, seed, covered);
      double slack = 2 * sqrt(0.93 * 0.07 / (double)seeds);
      for (unsigned i = 0; i < CONSTRUCTS; i++) {
        double share = (double)covered[i] / (double)seeds;
        bool enough = share >= 0.93 - slack;
        print_message("%s%-20s regions 1 in %2llu, loops 1 in %2llu, %s: %.1f %%\n", enough ? "" : "TOO FEW ",
                      populations[p].name, (unsigned long long)omissions[t].regions,
                      (unsigned long long)omissions[t].loops, i == LOOP ? "loop" : "region", 100 * share);
        good &= enough;
      }
    }
  assert_true(good);
}

/* The loops of a region get shorter. The mean of the last one of a region and the first one of the next would be right.
 * The mean of a first and a last one would not. By hand: two regions of 3 loops are recorded, 4 loops between them are
 * not. */
static void loops_of_a_region_are_a_group(void **unused)
{
  (void)unused;
  struct program program = {.imbalance = {.count = CONSTRUCTS}};
  program.imbalance.constructs = calloc(CONSTRUCTS, sizeof *program.imbalance.constructs);
  program.sampled = sampled_create(&program.imbalance);
  static const double first[] = {100, 60, 20}, second[] = {200, 120, 40};
  for (size_t i = 0; i < COUNT_OF(first); i++)
    record(&program, loop_place, first[i]);
  for (size_t i = 0; i < COUNT_OF(second); i++) {
    if (i == 0)
      omit(&program, loop_place, (struct sampled_gap){0, 4});
    record(&program, loop_place, second[i]);
  }
  omit(&program, loop_place, (struct sampled_gap){0, 2});
  assert_true(sampled_finish(program.sampled));
  const struct imbalance_construct *loop = &program.imbalance.constructs[LOOP];
  assert_int_equal(loop->calls, 12);
  assert_int_equal(loop->omitted, 6);
  assert_true(loop->elapsed == 540 + 6 * 120); /* the first group is the first instance there is */
  assert_true(imbalance_half_width(loop, IMBALANCE_ELAPSED) > 0);
  sampled_destroy(program.sampled);
  analysis_free(&imbalance_analysis, &program.imbalance);
}

/* Nothing is recorded of one, and nothing whole of the other. */
static void what_is_unknown_is_not_guessed(void **unused)
{
  (void)unused;
  struct program program = {.imbalance = {.count = CONSTRUCTS}};
  program.imbalance.constructs = calloc(CONSTRUCTS, sizeof *program.imbalance.constructs);
  program.sampled = sampled_create(&program.imbalance);
  struct imbalance_construct *constructs = program.imbalance.constructs;
  omit(&program, loop_place, (struct sampled_gap){5, 0});
  omit(&program, region_place, (struct sampled_gap){5, 0});
  constructs[REGION].calls = 1;
  assert_true(sampled_add(program.sampled, region_place, sampled_lead(program.sampled, region_place), NULL));
  assert_true(sampled_finish(program.sampled));
  assert_int_equal(constructs[LOOP].calls, 0);
  assert_int_equal(constructs[LOOP].omitted, 0);
  assert_int_equal(constructs[REGION].calls, 6);
  assert_true(isinf(imbalance_half_width(&constructs[REGION], IMBALANCE_ELAPSED)));
  sampled_destroy(program.sampled);
  analysis_free(&imbalance_analysis, &program.imbalance);
}

UNIT_TEST(sampled)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_cover_the_truth),
      cmocka_unit_test(loops_of_a_region_are_a_group),
      cmocka_unit_test(what_is_unknown_is_not_guessed),
  };
  if (argc > 1)
    seeds = strtoul(argv[1], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
