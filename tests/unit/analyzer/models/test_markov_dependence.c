/*
 * Components that depend on each other, or not: exact information in small cases, and populations with a known truth.
 * Independent components are found dependent at most at the stated level, and dependences of sufficient size are found.
 * With an argument: so many seeds.
 */
#include "analyzer/models/markov/markov.h"
#include "analyzer/models/markov/statistics.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long seeds = 3;
static const struct markov_dependence_options rules = {.level = .05, .seed = 1};

enum { COMPONENTS_MOST = 40, RECORDS_MOST = 20000, VALUES = 3 };

struct run {
  uint32_t components;
  struct pes_program *program;
  struct pes_states *states;
  struct pes_record records[RECORDS_MOST];
  size_t count;
  uint64_t time;
};

static struct run *begin(uint32_t components)
{
  struct run *run = calloc(1, sizeof *run);
  assert_non_null(run);
  run->components = components;
  run->program = pes_program_create("components", 0);
  run->states = pes_states_create(components);
  assert_true(run->program && run->states && pes_program_add_set(run->program) == 0);
  static const char *const names[VALUES] = {"X", "Y", "Z"};
  for (int i = 0; i < VALUES; i++)
    pes_program_add_value(run->program, 0, i, names[i], names[i]);
  for (uint32_t i = 0; i < components; i++)
    pes_program_add_component(run->program, "component", 0);
  return run;
}

/* The values now, until the next ones. */
static void put(struct run *run, const uint32_t *values, uint64_t ticks)
{
  run->records[run->count++] = (struct pes_record){run->time, pes_states_intern(run->states, values)};
  run->time += ticks;
}

static struct pes_stream *end(struct run *run)
{
  struct error error;
  struct pes_end last = {.time = run->time, .terminal = PES_NONE};
  struct pes_stream *stream = pes_from_memory(run->program, run->states, run->records, run->count, last, &error);
  assert_non_null(stream);
  free(run);
  return stream;
}

static struct markov_dependence *ask(struct run *run)
{
  struct error error = {{0}};
  struct pes_stream *stream = end(run);
  struct markov_dependence *dependence = markov_dependence_of(stream, &rules, &error);
  if (!dependence)
    fail_msg("%s", error.message);
  pes_close(stream);
  return dependence;
}

static void same(double is, double should_be)
{
  if (!(fabs(is - should_be) < 1e-12))
    fail_msg("is %.15g, should be %.15g", is, should_be);
}

/*
 * X is X or Y with 1/2; the other one copies it with probability 1/2, and else draws by itself: they are equal with
 * 3/4. The parts of the time are 3/8, 1/8, 1/8, 3/8, so the information is 1 - H(3/4) = 3/4 log2 3 - 1 bits.
 */
static void information_is_exact(void **state)
{
  (void)state;
  static const uint32_t values[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
  static const uint64_t ticks[4] = {3, 1, 3, 1};
  struct run *run = begin(2);
  for (int i = 0; i < 4; i++)
    put(run, values[i], ticks[i]);
  struct markov_dependence *dependence = ask(run);
  same(dependence->entropies[0], 1);
  same(dependence->entropies[1], 1);
  same(dependence->pairs[0].information, .75 * log2(3) - 1);
  assert_true(dependence->pair_count == 1 && dependence->pairs[0].p > .05);
  markov_dependence_free(dependence);
  /* One of three values, another one that says which of them is Z: 1/3 of the time each. */
  run = begin(2);
  for (uint32_t i = 0; i < 3; i++)
    put(run, (uint32_t[]){i, i == 2}, 5);
  dependence = ask(run);
  same(dependence->entropies[0], log2(3));
  same(dependence->entropies[1], log2(3) - 2. / 3);
  same(dependence->pairs[0].information, log2(3) - 2. / 3);
  markov_dependence_free(dependence);
}

static void constants_are_not_tested(void **state)
{
  (void)state;
  struct run *run = begin(3);
  for (uint32_t i = 0; i < 300; i++)
    put(run, (uint32_t[]){i % 2, 1, i / 2 % 2}, 1 + i % 7);
  struct markov_dependence *dependence = ask(run);
  assert_int_equal(dependence->pair_count, 3);
  assert_true(isnan(dependence->pairs[0].p) && !isnan(dependence->pairs[1].p) && isnan(dependence->pairs[2].p));
  same(dependence->pairs[0].information, 0);
  markov_dependence_free(dependence);
}

static void what_cannot_be_asked_is_refused(void **state)
{
  (void)state;
  static const uint32_t zeros[COMPONENTS_MOST];
  struct error error = {{0}};
  struct run *run = begin(COMPONENTS_MOST);
  put(run, zeros, 5);
  struct pes_stream *stream = end(run);
  assert_null(markov_dependence_of(stream, &rules, &error));
  assert_non_null(strstr(error.message, "40 components, more than 32"));
  pes_close(stream);
  run = begin(2);
  put(run, zeros, 5);
  run->records[run->count++] = (struct pes_record){run->time, pes_states_add_pattern(run->states, NULL)};
  run->time += 5;
  stream = end(run);
  assert_null(markov_dependence_of(stream, &rules, &error));
  assert_non_null(strstr(error.message, "aggregates"));
  pes_close(stream);
  run = begin(2);
  put(run, zeros, 0);
  stream = end(run);
  assert_null(markov_dependence_of(stream, &rules, &error));
  assert_non_null(strstr(error.message, "no time passes"));
  pes_close(stream);
}

static double uniform(struct markov_random *random)
{
  return ((double)(markov_random_next(random) >> 11) + .5) / 9007199254740992.;
}

/* Steps of a common clock: the second one copies the first one with probability p. */
static struct run *copying(uint64_t seed, double p, size_t records)
{
  struct run *run = begin(2);
  struct markov_random random;
  markov_random_seed(&random, seed);
  for (size_t i = 0; i < records; i++) {
    uint32_t one = (uint32_t)markov_random_below(&random, 2), own = (uint32_t)markov_random_below(&random, 2);
    put(run, (uint32_t[]){one, uniform(&random) < p ? one : own}, 10);
  }
  return run;
}

/* Each component changes when it likes, and stays long or not. */
static struct run *wandering(uint64_t seed, uint32_t components, size_t records)
{
  struct run *run = begin(components);
  struct markov_random random;
  uint32_t values[COMPONENTS_MOST] = {0};
  uint64_t until[COMPONENTS_MOST] = {0};
  markov_random_seed(&random, seed);
  for (size_t i = 0; i < records; i++) {
    uint32_t next = 0;
    for (uint32_t k = 0; k < components; k++) {
      if (until[k] <= run->time) {
        values[k] = (values[k] + 1 + (uint32_t)markov_random_below(&random, VALUES - 1)) % VALUES;
        until[k] = run->time + 1 + (uint64_t)(-1000. * (1 + k + 2 * values[k]) * log(uniform(&random)));
      }
      next = until[k] < until[next] ? k : next;
    }
    put(run, values, until[next] - run->time);
  }
  return run;
}

static double slack(double p)
{
  return 3.7 * sqrt((double)seeds * p * (1 - p)) + 1.5; /* beyond it with less than 1/10,000 */
}

static bool depends(const struct markov_dependence *dependence)
{
  bool any = false;
  for (uint32_t i = 0; i < dependence->pair_count; i++)
    any |= dependence->pairs[i].p <= rules.level;
  return any;
}

static void independent_ones_are_told(void **state)
{
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    static const char *const names[] = {"steps of a clock", "two that wander", "four that wander"};
    unsigned long alarms = 0;
    double excess = 0;
    for (unsigned long seed = 1; seed <= seeds; seed++) {
      struct markov_dependence *dependence =
          ask(kind == 0 ? copying(seed, 0, 2000) : wandering(seed, kind == 1 ? 2 : 4, 4000));
      alarms += depends(dependence);
      excess += (dependence->pairs[0].information - dependence->pairs[0].chance) / (double)seeds;
      markov_dependence_free(dependence);
    }
    printf("independent, %s: found dependent %lu of %lu (stated: at most 5 %%); beyond chance %.6f bits\n", names[kind],
           alarms, seeds, excess);
    assert_true((double)alarms <= .05 * (double)seeds + slack(.05));
    assert_true(fabs(excess) < .01);
  }
}

/* The probability of copying whose information is what would show: 1 - H((1 + p) / 2) bits. */
static double copied(double information)
{
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) {
    double p = (low + high) / 2, equal = (1 + p) / 2, other = (1 - p) / 2;
    double bits = 1 + equal * log2(equal) + (other > 0 ? other * log2(other) : 0);
    *(bits < information ? &low : &high) = p;
  }
  return high;
}

static void stated_power_is_met(void **state)
{
  (void)state;
  enum { STEPS = 2000 };
  unsigned long seen = 0;
  double error = 0, smallest = 0;
  for (unsigned long seed = 1; seed <= seeds; seed++) {
    struct markov_dependence *dependence = ask(copying(seed, 0, STEPS));
    double would_show = dependence->pairs[0].smallest;
    markov_dependence_free(dependence);
    dependence = ask(copying(seeds + seed, copied(would_show), STEPS));
    seen += depends(dependence);
    smallest += would_show / (double)seeds;
    error += (markov_pair_excess(&dependence->pairs[0]) - would_show) / (double)seeds;
    markov_dependence_free(dependence);
  }
  printf("dependent by what would show (%.4f bits): found %lu of %lu (stated: 90 %%); error of the information %.6f "
         "bits\n",
         smallest, seen, seeds, error);
  assert_true((double)seen >= .9 * (double)seeds - slack(.9));
  assert_true(fabs(error) < .003);
}

UNIT_TEST(markov_dependence)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(information_is_exact),
      cmocka_unit_test(constants_are_not_tested),
      cmocka_unit_test(what_cannot_be_asked_is_refused),
      cmocka_unit_test(independent_ones_are_told),
      cmocka_unit_test(stated_power_is_met),
  };
  if (argc > 1)
    seeds = strtoul(argv[1], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
