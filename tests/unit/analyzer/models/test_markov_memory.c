/*
 * Validation of a run alone, with generators whose truth is known: orders 0 to 3, phases at known places, tails that
 * are heavy or not. False alarms are at most as many as stated, and what should be seen is seen. With an argument: so
 * many seeds.
 */
#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/statistics.h"
#include "analyzer/models/markov/validate.h"
#include "tests/unit/analyzer/example.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long seeds = 4;
static const struct markov_options usual = {MARKOV_DROP, MARKOV_RESTART, false};
static const struct markov_validate_options rules = {.level = .05, .tolerance = .05, .unseen = .25, .seed = 1};

enum { LETTERS = 3, RECORDS_MOST = 40000 };

struct run {
  char letters[RECORDS_MOST + 1];
  uint64_t ticks[RECORDS_MOST];
  size_t count;
};

static double uniform(struct markov_random *random)
{
  return ((double)(markov_random_next(random) >> 11) + .5) / 9007199254740992.;
}

static uint64_t exponential(struct markov_random *random, double mean)
{
  return 1 + (uint64_t)(-mean * log(uniform(random)));
}

static uint64_t pareto(struct markov_random *random, double alpha)
{
  return (uint64_t)(1000 * pow(uniform(random), -1 / alpha));
}

static void put(struct run *run, char letter, uint64_t ticks)
{
  run->letters[run->count] = letter;
  run->ticks[run->count++] = ticks;
}

/* Weights of what follows the last `order` letters; the same for all seeds. */
static unsigned weight(unsigned order, unsigned history, unsigned letter)
{
  struct markov_random random;
  markov_random_seed(&random, 1000 * order + 10 * history + letter);
  return 1 + (unsigned)markov_random_below(&random, 9);
}

static void add_chain(struct run *run, struct markov_random *random, unsigned order, size_t records)
{
  unsigned history = 0, histories = 1;
  for (unsigned i = 0; i < order; i++)
    histories *= LETTERS;
  for (size_t i = 0; i < records; i++) {
    unsigned weights[LETTERS], all = 0, letter = 0;
    for (unsigned k = 0; k < LETTERS; k++)
      all += weights[k] = weight(order, history, k);
    for (unsigned drawn = (unsigned)markov_random_below(random, all); drawn >= weights[letter]; letter++)
      drawn -= weights[letter];
    history = (history * LETTERS + letter) % histories;
    put(run, (char)('A' + letter), exponential(random, 100 * (1 + letter)));
  }
}

/* What the questions of a run alone find. */
static struct markov_validation *ask(const struct run *run)
{
  struct markov_validation *result = calloc(1, sizeof *result);
  struct markov_run_tests run_tests = {0};
  assert_non_null(result);
  result->run = example_model(example_letters(LETTERS + 1, run->letters, run->ticks, 0), &usual);
  assert_true(markov_run_tests_begin(&run_tests, result->run));
  for (size_t i = 0; i < run->count; i++) {
    char text[2] = {run->letters[i], 0}, after[2] = {run->letters[i + 1], 0};
    uint32_t next = i + 1 < run->count ? example_find(result->run, after) : PES_NONE;
    assert_true(markov_run_tests_add(&run_tests, example_find(result->run, text), run->ticks[i], next));
  }
  assert_true(markov_run_tests_finish(&run_tests, &rules, result));
  markov_run_tests_free(&run_tests);
  return result;
}

static bool refuses(const struct markov_validation *result, enum markov_question question)
{
  const struct markov_test *test = &result->tests[question];
  return test->method != MARKOV_NO_METHOD && test->p < rules.level / MARKOV_QUESTIONS;
}

/* As many of `seeds` trials as have a probability of at least 1/10,000 if each has probability p: 3.7 deviations. */
static unsigned long most_of(double p)
{
  double n = (double)seeds;
  return (unsigned long)(n * p + 3.7 * sqrt(n * p * (1 - p)) + 1.5);
}

static unsigned long least_of(double p)
{
  double least = (double)seeds * p - 3.7 * sqrt((double)seeds * p * (1 - p)) - 1.5;
  return least > 0 ? (unsigned long)least : 0;
}

static struct run *begin(unsigned long seed, struct markov_random *random)
{
  struct run *run = calloc(1, sizeof *run);
  assert_non_null(run);
  markov_random_seed(random, seed);
  return run;
}

static void no_more_than(const char *what, unsigned long alarms, double p)
{
  printf("%s: %lu of %lu\n", what, alarms, seeds);
  if (alarms > most_of(p))
    fail_msg("%s: %lu of %lu, at most %lu would be chance", what, alarms, seeds, most_of(p));
}

static void no_less_than(const char *what, unsigned long seen, double p)
{
  printf("%s: %lu of %lu\n", what, seen, seeds);
  if (seen < least_of(p))
    fail_msg("%s: %lu of %lu seen, at least %lu should be", what, seen, seeds, least_of(p));
}

static void orders_are_found(void **state)
{
  (void)state;
  for (unsigned order = 0; order <= 3; order++) {
    unsigned long found = 0, more = 0, others[MARKOV_QUESTIONS] = {0};
    char what[64];
    for (unsigned long seed = 1; seed <= seeds; seed++) {
      struct markov_random random;
      struct run *run = begin(seed, &random);
      add_chain(run, &random, order, 4000);
      struct markov_validation *result = ask(run);
      unsigned truth = order < 1 ? 1 : order;
      found += result->memory.order == truth;
      more += result->memory.order > truth;
      for (int i = MARKOV_ORDER; i < MARKOV_QUESTIONS; i++)
        others[i] += refuses(result, (enum markov_question)i);
      markov_validation_free(result);
      free(run);
    }
    snprintf(what, sizeof what, "order %u: a higher one is found", order);
    no_more_than(what, more, rules.level / MARKOV_QUESTIONS);
    snprintf(what, sizeof what, "order %u: is found", order);
    no_less_than(what, found, .99);
    for (int i = order < 2 ? MARKOV_ORDER : MARKOV_CONSECUTIVE; i < MARKOV_QUESTIONS; i++) {
      snprintf(what, sizeof what, "order %u: question %d refuses", order, i);
      no_more_than(what, others[i], rules.level / MARKOV_QUESTIONS);
    }
  }
}

/* Bayes' criterion has the order of the generator. */
static void criterion_finds_the_order(void **state)
{
  (void)state;
  for (unsigned order = 1; order <= 3; order++) {
    unsigned long found = 0;
    for (unsigned long seed = 1; seed <= seeds; seed++) {
      struct markov_random random;
      struct markov_criterion criterion = {.most = 0};
      struct error error = {{0}};
      struct run *run = begin(seed, &random);
      add_chain(run, &random, order, 10000);
      struct pes_stream *stream = example_letters(LETTERS, run->letters, run->ticks, 0);
      assert_true(markov_criterion_add(&criterion, stream, &error));
      found += markov_criterion_best(&criterion) == order;
      pes_close(stream);
      free(run);
    }
    no_less_than("BIC: the order", found, .98);
  }
}

/* By hand: A B A B C has the pairs AB 2, BA 1, BC 1. */
static void criterion_by_hand(void **state)
{
  (void)state;
  static const uint64_t ticks[] = {1, 1, 1, 1, 1};
  struct markov_criterion criterion = {.most = 0};
  struct error error = {{0}};
  struct pes_stream *stream = example_letters(LETTERS, "ABABC", ticks, 0);
  assert_true(markov_criterion_add(&criterion, stream, &error));
  pes_close(stream);
  assert_true(criterion.transitions == 4 && criterion.parameters[0] == 1);
  assert_true(fabs(criterion.log_likelihood[0] - 2 * log(.5)) < 1e-12);
  assert_true(fabs(markov_criterion_value(&criterion, 1) - (4 * log(2) + log(4))) < 1e-12);
  /* After A B comes A or C, after B A always B. */
  assert_true(fabs(criterion.log_likelihood[1] - 2 * log(.5)) < 1e-12 && criterion.parameters[1] == 1);
}

/* States that last long in records, so that blocks depend on each other. */
static void slow_chains_are_no_phases(void **state)
{
  (void)state;
  static const unsigned stays[] = {50, 80, 95, 98};
  for (size_t k = 0; k < sizeof stays / sizeof *stays; k++) {
    unsigned long alarms = 0;
    char what[64];
    for (unsigned long seed = 1; seed <= seeds; seed++) {
      struct markov_random random;
      struct run *run = begin(seed, &random);
      for (unsigned i = 0, letter = 0; i < 20000; i++) {
        put(run, (char)('A' + letter), exponential(&random, 100));
        letter =
            markov_random_below(&random, 100) < stays[k] ? letter : (unsigned)markov_random_below(&random, LETTERS);
      }
      struct markov_validation *result = ask(run);
      alarms += refuses(result, MARKOV_PHASES);
      markov_validation_free(result);
      free(run);
    }
    snprintf(what, sizeof what, "stays with %u %%: phases", stays[k]);
    no_more_than(what, alarms, rules.level / MARKOV_QUESTIONS);
  }
}

static void put_tails(struct run *run, struct markov_random *random, unsigned kind, size_t records)
{
  for (size_t i = 0; i < records; i++) {
    bool rare = markov_random_below(random, 100) < 5;
    uint64_t ticks = kind == 0   ? exponential(random, 1000)
                     : kind == 1 ? 1000 + markov_random_below(random, 1000)
                     : kind == 2 ? 1000
                     : kind == 3 ? exponential(random, rare ? 100000 : 1000)
                     : kind == 4 ? exponential(random, 5)
                                 : pareto(random, 1.3);
    put(run, i % 2 ? 'B' : 'A', i % 2 ? exponential(random, 500) : ticks);
  }
}

static void tails_are_told_apart(void **state)
{
  (void)state;
  static const char *const names[] = {"exponential", "uniform", "constant", "two lengths", "few ticks", "heavy"};
  for (unsigned kind = 0; kind < 6; kind++) {
    unsigned long alarms = 0, covered = 0;
    char what[64];
    for (unsigned long seed = 1; seed <= seeds; seed++) {
      struct markov_random random;
      struct run *run = begin(seed, &random);
      put_tails(run, &random, kind, 8000);
      struct markov_validation *result = ask(run);
      alarms += refuses(result, MARKOV_TAILS);
      covered += kind == 5 && result->tails[0].tail.low <= 1.3 && result->tails[0].tail.high >= 1.3;
      markov_validation_free(result);
      free(run);
    }
    snprintf(what, sizeof what, "tails, %s: refused", names[kind]);
    if (kind < 5)
      no_more_than(what, alarms, rules.level / MARKOV_QUESTIONS);
    else {
      no_less_than(what, alarms, .9);
      no_less_than("the index is in its interval", covered, .93);
    }
  }
}

/* B lasts longer from one half on: found, and near its place. */
static void phases_are_found(void **state)
{
  (void)state;
  unsigned long found = 0, near = 0;
  for (unsigned long seed = 1; seed <= seeds; seed++) {
    struct markov_random random;
    struct run *run = begin(seed, &random);
    for (unsigned i = 0; i < 400; i++) {
      put(run, 'A', exponential(&random, 1000));
      put(run, 'B', exponential(&random, i < 200 ? 200 : 2000));
    }
    struct markov_validation *result = ask(run);
    found += refuses(result, MARKOV_PHASES) && result->changes.count == 1;
    near += fabs((double)result->changes.first.record - 400) <= (double)result->changes.length;
    markov_validation_free(result);
    free(run);
  }
  no_less_than("phases: found", found, .95);
  no_less_than("phases: near their place", near, .95);
}

/* Durations that depend on the one before, or that decide what comes next. */
static void dependent_durations_are_found(void **state)
{
  (void)state;
  unsigned long consecutive = 0, next = 0;
  for (unsigned long seed = 1; seed <= seeds; seed++) {
    struct markov_random random;
    struct run *run = begin(seed, &random);
    for (unsigned i = 0; i < 1000; i++) {
      uint64_t ticks = exponential(&random, 1000);
      put(run, 'A', ticks);
      put(run, ticks > 700 && markov_random_below(&random, 10) < 7 ? 'B' : 'C', ticks / 2 + exponential(&random, 500));
    }
    struct markov_validation *result = ask(run);
    consecutive += refuses(result, MARKOV_CONSECUTIVE);
    next += refuses(result, MARKOV_NEXT);
    markov_validation_free(result);
    free(run);
  }
  no_less_than("consecutive durations: seen", consecutive, .99);
  no_less_than("duration and next state: seen", next, .99);
}

/*
 * A chain of second order with the smallest difference that validation claims to find. From B, the state before B
 * follows with probability 1/2 + d. It is seen in 90 % or more.
 */
static void stated_power_is_met(void **state)
{
  (void)state;
  enum { TURNS = 1500 };
  double smallest = markov_smallest_difference(rules.level / MARKOV_QUESTIONS / MARKOV_ORDERS, 1, TURNS);
  unsigned long seen = 0;
  for (unsigned long seed = 1; seed <= seeds; seed++) {
    struct markov_random random;
    struct run *run = begin(seed, &random);
    for (unsigned i = 0, letter = 0; i < TURNS; i++) {
      letter = uniform(&random) < .5 + smallest ? letter : 2 - letter;
      put(run, (char)('A' + letter), exponential(&random, 100));
      put(run, 'B', exponential(&random, 100));
    }
    struct markov_validation *result = ask(run);
    seen += result->memory.orders[0].p < rules.level / MARKOV_QUESTIONS / MARKOV_ORDERS;
    markov_validation_free(result);
    free(run);
  }
  no_less_than("the smallest difference: seen", seen, MARKOV_POWER);
}

/* A B D A C D again and again: what follows A is what did not follow it last time. */
static void two_steps_back_determine(void **state)
{
  (void)state;
  struct run *run = calloc(1, sizeof *run);
  for (unsigned i = 0; i < 600; i++)
    put(run, "ABDACD"[i % 6], 10);
  struct markov_validation *result = ask(run);
  assert_true(refuses(result, MARKOV_ORDER));
  assert_int_equal(result->memory.order, 3);
  assert_true(result->memory.is_determined);
  /* In fractions: 199 times D A after B or C; the rows are 100 0 and 0 99, so chi-square is 199. */
  assert_true(result->memory.orders[1].tested == 199 && fabs(result->memory.orders[1].chi_square - 199) < 1e-9);
  assert_true(result->memory.orders[1].freedom == 1 && result->memory.orders[2].determined == 1);
  assert_true(!refuses(result, MARKOV_PHASES) && !refuses(result, MARKOV_CONSECUTIVE));
  markov_validation_free(result);
  free(run);
}

/* Against closed forms, and a table of 2 by 2 by hand. */
static void exact_cases(void **state)
{
  (void)state;
  assert_true(fabs(markov_chi_square_quantile(.05, 2) + 2 * log(.05)) < 1e-9);
  assert_true(fabs(markov_noncentral_tail(3, 2, 0) - exp(-1.5)) < 1e-12);
  /* One degree of freedom: the square of a normal variable with mean 2. */
  double both = (erfc((1 - 2) / sqrt(2)) + erfc((1 + 2) / sqrt(2))) / 2;
  assert_true(fabs(markov_noncentral_tail(1, 1, 4) - both) < 1e-12);
  assert_true(fabs(markov_f_tail(1, 7, 7) - .5) < 1e-12 && fabs(markov_f_tail(3, 2, 2) - .25) < 1e-12);
  struct markov_table_cell cells[] = {{0, 0, 0, 36}, {0, 0, 1, 14}, {0, 1, 0, 24}, {0, 1, 1, 26}};
  struct markov_independence result;
  assert_true(markov_independence_test(cells, 4, 2, &result));
  assert_true(fabs(result.chi_square - 6) < 1e-12 && result.freedom == 1 && result.tested == 100);
  double g = 2 * (36 * log(36. / 30) + 14 * log(14. / 20) + 24 * log(24. / 30) + 26 * log(26. / 20));
  assert_true(fabs(result.g - g) < 1e-12 && fabs(result.difference - .12) < 1e-12);
  assert_true(fabs(markov_independence_difference(&result) - .12 * sqrt(5. / 6)) < 1e-12);
}

/* Counts of histories by hand, and a bound on their number. */
static void histories_are_counted(void **state)
{
  (void)state;
  struct markov_histories histories;
  uint32_t states[3];
  assert_true(markov_histories_begin(&histories, 3));
  for (unsigned i = 0; i < 7; i++)
    assert_true(markov_histories_add(&histories, (uint32_t)("0120120"[i] - '0')));
  assert_int_equal(histories.levels[3].nodes.count, 3);
  assert_int_equal(histories.levels[3].nodes.items[0].count, 2);
  markov_history_states(&histories, 3, 1, states);
  assert_true(states[0] == 1 && states[1] == 2 && states[2] == 0);
  assert_int_equal(histories.levels[2].nodes.items[histories.levels[3].nodes.items[0].suffix].state, 2);
  for (uint32_t i = 0; i <= MARKOV_HISTORIES_MOST; i++)
    assert_true(markov_histories_add(&histories, 10 + i));
  assert_int_equal(histories.most, 0);
  assert_true(markov_histories_add(&histories, 1));
  markov_histories_free(&histories);
}

UNIT_TEST(markov_memory)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_cases),
      cmocka_unit_test(histories_are_counted),
      cmocka_unit_test(two_steps_back_determine),
      cmocka_unit_test(stated_power_is_met),
      cmocka_unit_test(orders_are_found),
      cmocka_unit_test(criterion_by_hand),
      cmocka_unit_test(criterion_finds_the_order),
      cmocka_unit_test(slow_chains_are_no_phases),
      cmocka_unit_test(tails_are_told_apart),
      cmocka_unit_test(phases_are_found),
      cmocka_unit_test(dependent_durations_are_found),
  };
  if (argc > 1)
    seeds = strtoul(argv[1], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
