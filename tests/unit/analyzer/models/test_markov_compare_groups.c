/*
 * Do runs behave the same? The truth about the generators is known. The same one twice gives at most as many false
 * alarms as stated. Two that differ in one probability or duration are distinguished by its name. With an argument: so
 * many seeds.
 */
#include "analyzer/models/markov/compare_groups.h"
#include "analyzer/models/markov/statistics.h"
#include "tests/unit/analyzer/example.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long seeds = 12;
static const struct markov_compare_options rules = {.level = .05, .tolerance = .05, .unseen = .25, .seed = 1};

enum { LETTERS = 4, RUNS_MOST = 8 };

/* What runs are like. */
struct kind {
  const char *name;
  size_t records, records_against;
  uint32_t counts[2];
  double to_b;    /* probability that B follows A; else C */
  double lasts_b; /* mean ticks of B */
  double to_b_against, lasts_b_against;
  double varies;  /* deviation of the logarithm of lasts_b, from run to run */
  double tail;    /* index of a Pareto distribution of durations; 0: exponential */
  double halves;  /* lasts_b times this in the second half of a run; 0: no halves */
  bool remembers; /* B comes after A if it did not the last time */
};

static double uniform(struct markov_random *random)
{
  return ((double)(markov_random_next(random) >> 11) + .5) / 9007199254740992.;
}

static double normal(struct markov_random *random)
{
  return sqrt(-2 * log(uniform(random))) * cos(2 * acos(-1) * uniform(random));
}

static unsigned next_of(unsigned letter, double to_b, struct markov_random *random)
{
  const double next[LETTERS][LETTERS] = {{0, to_b, 1 - to_b, 0}, {.5, 0, 0, .5}, {.3, .3, 0, .4}, {.7, .1, .2, 0}};
  double drawn = uniform(random);
  unsigned to = 0;
  while (to + 1 < LETTERS && drawn >= next[letter][to])
    drawn -= next[letter][to++];
  return to;
}

static struct pes_stream *draw_run(const struct kind *kind, bool against, struct markov_random *random)
{
  size_t records = against ? kind->records_against : kind->records;
  double to_b = against ? kind->to_b_against : kind->to_b;
  double means[LETTERS] = {500, against ? kind->lasts_b_against : kind->lasts_b, 800, 300};
  char *letters = calloc(records + 1, 1);
  uint64_t *ticks = calloc(records, sizeof *ticks);
  unsigned letter = 0;
  bool was_b = false;
  assert_true(letters && ticks);
  means[1] *= exp(kind->varies * normal(random));
  for (size_t i = 0; i < records; i++) {
    double mean = means[letter] * (letter == 1 && kind->halves > 0 && i > records / 2 ? kind->halves : 1);
    letters[i] = (char)('A' + letter);
    ticks[i] = 1 + (uint64_t)(mean * (kind->tail > 0 ? pow(uniform(random), -1 / kind->tail) : -log(uniform(random))));
    bool was_a = letter == 0;
    letter = next_of(letter, kind->remembers ? was_b ? .1 : .9 : to_b, random);
    was_b = was_a ? letter == 1 : was_b;
  }
  struct pes_stream *stream = example_letters(LETTERS, letters, ticks, 0);
  free(letters);
  free(ticks);
  return stream;
}

static struct markov_group_comparison *ask(const struct kind *kind, unsigned long seed)
{
  struct pes_stream *streams[RUNS_MOST];
  const char *names[RUNS_MOST];
  struct markov_random random;
  struct error error = {{0}};
  uint32_t count = kind->counts[0] + kind->counts[1];
  markov_random_seed(&random, seed);
  for (uint32_t i = 0; i < count; i++) {
    streams[i] = draw_run(kind, i >= kind->counts[0], &random);
    names[i] = "run";
  }
  struct markov_group_comparison *result = markov_compare_groups(streams, names, kind->counts, &rules, &error);
  if (!result)
    fail_msg("%s", error.message);
  for (uint32_t i = 0; i < count; i++)
    pes_close(streams[i]);
  return result;
}

/* A difference of any size is an alarm. */
static bool alarms(const struct markov_group_comparison *result)
{
  bool alarm = false;
  for (unsigned i = 0; i < MARKOV_ASPECTS; i++)
    alarm |= result->tests[i].figures > 0 && result->tests[i].p <= rules.level;
  return alarm;
}

/* As many of `seeds` trials as have a probability of at least 1/10,000 if each has probability p: 3.7 deviations. */
static unsigned long most_of(double p)
{
  double n = (double)seeds;
  return (unsigned long)(n * p + 3.7 * sqrt(n * p * (1 - p)) + 1.5);
}

static void the_same_one_gives_few_alarms(void **state)
{
  static const struct kind kinds[] = {
      {"one run each", 4000, 4000, {1, 1}, .5, 1000, .5, 1000, 0, 0, 0, false},
      {"short and long", 1000, 12000, {1, 1}, .5, 1000, .5, 1000, 0, 0, 0, false},
      {"heavy tails", 4000, 4000, {1, 1}, .5, 1000, .5, 1000, 0, 1.5, 0, false},
      {"memory", 4000, 4000, {1, 1}, .5, 1000, .5, 1000, 0, 0, 0, true},
      {"phases", 4000, 4000, {1, 1}, .5, 1000, .5, 1000, 0, 0, 3, false},
      {"two runs each", 800, 800, {2, 2}, .5, 1000, .5, 1000, .3, 0, 0, false},
      {"four runs each", 800, 800, {4, 4}, .5, 1000, .5, 1000, .3, 0, 0, false},
      {"one run and five", 800, 800, {1, 5}, .5, 1000, .5, 1000, .3, 0, 0, false},
      {"four runs each, short", 40, 40, {4, 4}, .5, 1000, .5, 1000, .3, 0, 0, false},
  };
  (void)state;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    unsigned long count = 0, tested = 0;
    for (unsigned long seed = 1; seed <= seeds; seed++) {
      struct markov_group_comparison *result = ask(&kinds[k], seed);
      count += alarms(result);
      tested += result->outcome != MARKOV_UNTESTED;
      markov_group_comparison_free(result);
    }
    printf("%s: %lu false alarms of %lu\n", kinds[k].name, count, tested);
    if (count > most_of(rules.level) || tested < seeds)
      fail_msg("%s: %lu of %lu, at most %lu would be chance", kinds[k].name, count, tested, most_of(rules.level));
  }
}

/* Seeds with something tested, in three runs of this length; no difference is found for certain. */
static unsigned long tested_of(size_t records)
{
  const struct kind kind = {"three short runs", records, records, {2, 1}, .5, 1000, .5, 1000, 0, 0, 0, false};
  unsigned long tested = 0;
  for (unsigned long seed = 1; seed <= seeds; seed++) {
    struct markov_group_comparison *result = ask(&kind, seed);
    tested += result->outcome != MARKOV_UNTESTED;
    for (uint32_t f = 0; f < result->count; f++)
      assert_true(isnan(result->list[f].p) || result->list[f].p > 0);
    markov_group_comparison_free(result);
  }
  return tested;
}

/* A run is cut into 16 to 31 parts; one that is too short says nothing. */
static void lengths_of_runs(void **state)
{
  (void)state;
  assert_int_equal(tested_of(1), 0);
  assert_int_equal(tested_of(MARKOV_RUN_LEAST - 1), 0);
  for (size_t records = 31; records <= 127; records += 16)
    assert_int_equal(tested_of(records), seeds);
}

struct truth {
  struct kind kind;
  enum markov_aspect aspect; /* MARKOV_LASTS: or MARKOV_LONGER */
  const char *state;
};

static bool is_named(const struct markov_group_comparison *result, const struct truth *truth)
{
  const struct markov_contrast *cause = result->cause;
  if (result->outcome != MARKOV_DIFFERS || !cause)
    return false;
  enum markov_aspect aspect = cause->aspect == MARKOV_LONGER ? MARKOV_LASTS : cause->aspect;
  return aspect == truth->aspect && cause->state == example_find(result->model, truth->state);
}

static void what_differs_is_named_first(void **state)
{
  static const struct truth truths[] = {
      {{"a transition", 8000, 8000, {1, 1}, .5, 1000, .65, 1000, 0, 0, 0, false}, MARKOV_GOES_TO, "A"},
      {{"a duration", 8000, 8000, {1, 1}, .5, 1000, .5, 1300, 0, 0, 0, false}, MARKOV_LASTS, "B"},
      {{"a transition of four runs each", 2000, 2000, {4, 4}, .5, 1000, .7, 1000, .05, 0, 0, false},
       MARKOV_GOES_TO,
       "A"},
      {{"a duration of four runs each", 2000, 2000, {4, 4}, .5, 1000, .5, 1700, .05, 0, 0, false}, MARKOV_LASTS, "B"},
  };
  (void)state;
  for (size_t k = 0; k < sizeof truths / sizeof *truths; k++) {
    unsigned long named = 0;
    for (unsigned long seed = 1; seed <= seeds; seed++) {
      struct markov_group_comparison *result = ask(&truths[k].kind, seed);
      named += is_named(result, &truths[k]);
      markov_group_comparison_free(result);
    }
    printf("%s: named first in %lu of %lu\n", truths[k].kind.name, named, seeds);
    if (seeds - named > most_of(.1))
      fail_msg("%s: named first in %lu of %lu", truths[k].kind.name, named, seeds);
  }
}

UNIT_TEST(markov_compare_groups)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_one_gives_few_alarms),
      cmocka_unit_test(lengths_of_runs),
      cmocka_unit_test(what_differs_is_named_first),
  };
  if (argc > 1)
    seeds = strtoul(argv[1], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
