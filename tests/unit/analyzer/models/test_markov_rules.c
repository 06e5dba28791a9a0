/*
 * Rules of the next state, by generators whose truth is known. A component that decides is named, with the error that
 * it must have; if nothing decides, no rule is found. With an argument: so many seeds.
 */
#include "analyzer/models/markov/rules.h"
#include "analyzer/models/markov/statistics.h"
#include "tests/unit/analyzer/example.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long seeds = 20;

enum { COMPONENTS = 3, VALUES = 4, RECORDS = 4000 };

/* "lock", "thread" and "noise", each with the values v0 to v3. */
static struct pes_program *make_program(void)
{
  static const char *const names[COMPONENTS] = {"lock", "thread", "noise"};
  struct pes_program *program = pes_program_create("rules", 1000);
  uint32_t set = pes_program_add_set(program);
  for (unsigned i = 0; i < VALUES; i++) {
    char name[8], code[8];
    snprintf(name, sizeof name, "v%u", i);
    snprintf(code, sizeof code, "V%u", i);
    assert_int_equal(pes_program_add_value(program, set, i, name, code), i);
  }
  for (unsigned i = 0; i < COMPONENTS; i++)
    assert_int_equal(pes_program_add_component(program, names[i], set), i);
  return program;
}

/* `next` makes the next vector of the present one. */
static struct markov_rules *ask(void (*next)(uint32_t *vector, struct markov_random *random), uint32_t target,
                                size_t records, unsigned long seed)
{
  struct pes_states *states = pes_states_create(COMPONENTS);
  struct pes_record *list = calloc(records, sizeof *list);
  uint32_t vector[COMPONENTS] = {0};
  struct markov_random random;
  struct error error = {{0}};
  assert_true(states && list);
  markov_random_seed(&random, seed);
  for (size_t i = 0; i < records; i++) {
    list[i] = (struct pes_record){i, pes_states_intern(states, vector)};
    next(vector, &random);
  }
  struct pes_end end = {records, PES_NONE};
  struct pes_stream *stream = pes_from_memory(make_program(), states, list, records, end, &error);
  free(list);
  assert_non_null(stream);
  struct markov_rules *rules = markov_rules_find(stream, target, &error);
  assert_non_null(rules);
  pes_close(stream);
  return rules;
}

static uint32_t any(struct markov_random *random)
{
  return (uint32_t)markov_random_below(random, VALUES);
}

/* The lock decides what the thread is next; lock and noise are anything. */
static void by_lock(uint32_t *vector, struct markov_random *random)
{
  vector[1] = (vector[0] + 1) % VALUES;
  vector[0] = any(random);
  vector[2] = any(random);
}

/* The same, but one time in five the thread is anything. */
static void mostly_by_lock(uint32_t *vector, struct markov_random *random)
{
  uint32_t before = vector[0];
  by_lock(vector, random);
  vector[1] = markov_random_below(random, 5) == 0 ? any(random) : (before + 1) % VALUES;
}

/* The lock decides all of the next state: one of four. */
static void all_by_lock(uint32_t *vector, struct markov_random *random)
{
  (void)random;
  vector[2] = vector[0];
  vector[1] = (vector[0] + 2) % VALUES;
  vector[0] = (vector[0] + 1) % VALUES;
}

static void by_nothing(uint32_t *vector, struct markov_random *random)
{
  for (unsigned i = 0; i < COMPONENTS; i++)
    vector[i] = any(random);
}

static void what_decides_is_named(void **state)
{
  (void)state;
  struct markov_rules *rules = ask(by_lock, 1, RECORDS, 1);
  assert_true(rules->is_tested && rules->is_better && rules->rules == VALUES);
  assert_true(rules->errors[VALUES - 1] == 0 && rules->errors_alone[0] == 0);
  assert_true(rules->errors[0] > .6 && rules->errors_alone[2] > .6);
  for (uint32_t i = 0; i < rules->count; i++) {
    if (rules->nodes[i].yes > 0)
      assert_int_equal(rules->nodes[i].test.component, 0);
    else
      assert_true(rules->nodes[i].right == rules->nodes[i].cases);
  }
  markov_rules_free(rules);
  rules = ask(all_by_lock, PES_NONE, RECORDS, 1);
  assert_true(rules->is_better && rules->errors[rules->rules - 1] == 0 && rules->rules == VALUES);
  assert_true(rules->error_of_state == 0 && fabs(rules->errors[0] - .75) < .01);
  markov_rules_free(rules);
}

/*
 * A thread with the value d is to change. The lock made the value with probability 4/5 + 1/20, and likewise makes the
 * next one. The lock is any of four, so it says d itself with 1/4, and then the thread changes only by chance. The
 * error is P(changes to another value than the lock says) / P(changes) = (3/4 1/5 2/4 + 1/4 1/5 3/4 2/3) / (3/4).
 */
static void the_error_is_the_true_one(void **state)
{
  (void)state;
  const double lock = (.75 * .2 * .5 + .25 * .2 * .75) / .75, both = lock - .25 * .2 / 3;
  double sum = 0;
  for (unsigned long seed = 1; seed <= seeds; seed++) {
    struct markov_rules *rules = ask(mostly_by_lock, 1, RECORDS, seed);
    assert_true(rules->is_better && rules->nodes[0].test.component == 0);
    sum += rules->errors[rules->rules - 1];
    markov_rules_free(rules);
  }
  double error = sum / (double)seeds;
  printf("error %.4f, in truth %.4f to %.4f\n", error, both, lock);
  assert_true(error > both - .006 && error < lock + .006);
}

static void nothing_decides(void **state)
{
  (void)state;
  unsigned long alarms = 0;
  for (unsigned long seed = 1; seed <= seeds; seed++) {
    struct markov_rules *rules = ask(by_nothing, PES_NONE, RECORDS, seed);
    alarms += rules->is_better;
    markov_rules_free(rules);
  }
  double trials = (double)seeds, most = trials * .05 + 3.7 * sqrt(trials * .05) + 1.5;
  printf("rules where nothing decides: %lu of %.0f\n", alarms, trials);
  if ((double)alarms > most)
    fail_msg("%lu rules where nothing decides, at most %.1f would be chance", alarms, most);
}

static void few_cases_are_too_few(void **state)
{
  (void)state;
  struct markov_rules *rules = ask(by_lock, PES_NONE, MARKOV_RULE_LEAST, 1);
  assert_true(!rules->is_tested && rules->cases == MARKOV_RULE_LEAST - 1);
  markov_rules_free(rules);
}

UNIT_TEST(markov_rules)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_decides_is_named),
      cmocka_unit_test(the_error_is_the_true_one),
      cmocka_unit_test(nothing_decides),
      cmocka_unit_test(few_cases_are_too_few),
  };
  if (argc > 1)
    seeds = strtoul(argv[1], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
