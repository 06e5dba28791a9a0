/* Intervals between Heddle's own events, in a hand-made archive with known answers. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/analyzer/program.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/intervals/intervals.h"
#include "analyzer/analyses/intervals/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROLE(name) OTF2_REGION_ROLE_##name

/*
 * Threads 0 and 1 are a team. 0 unparks 1 (Java's id 101) at 20, and 1's park lasts from 10 to 25. 0 has the lock 7
 * from 30 to 40, 1 from 40 (at the same tick) to 55. Each runs the loop of a.c:3, 0 from 60 to 70 and 1 from 60 to 90.
 * 1 runs the loop of a.c:9 from 90 to 92.
 */
struct scene {
  struct fixture *f;
  struct trace *trace;
  struct pool *pool;
  const char *directory;
};

static int set_up(void **state)
{
  static struct scene s;
  s = (struct scene){.f = fixture_create(), .pool = pool_create(2)};
  uint32_t zero = fixture_location(s.f, "zero"), one = fixture_location(s.f, "one");
  fixture_java_id(s.f, zero, 100);
  fixture_java_id(s.f, one, 101);
  uint32_t park = fixture_region(s.f, "park @A.java:4", ROLE(THREAD_WAIT), OTF2_PARADIGM_PTHREAD, 4);
  uint32_t unpark = fixture_region(s.f, "unpark @A.java:5", ROLE(FUNCTION), OTF2_PARADIGM_PTHREAD, 5);
  uint32_t three = fixture_region(s.f, "!$omp for @a.c:3", ROLE(LOOP), OTF2_PARADIGM_OPENMP, 3);
  uint32_t nine = fixture_region(s.f, "!$omp for @a.c:9", ROLE(LOOP), OTF2_PARADIGM_OPENMP, 9);
  uint32_t team = fixture_team(s.f, (const uint32_t[]){zero, one}, 2);
  fixture_team_begin(s.f, zero, 5, team);
  fixture_team_begin(s.f, one, 5, team);
  fixture_enter(s.f, one, 10, park);
  fixture_unpark(s.f, zero, 20, unpark, 101);
  fixture_leave(s.f, one, 25, park);
  fixture_lock(s.f, zero, 30, 7);
  fixture_unlock(s.f, zero, 40, 7);
  fixture_lock(s.f, one, 40, 7);
  fixture_unlock(s.f, one, 55, 7);
  fixture_enter(s.f, zero, 60, three);
  fixture_enter(s.f, one, 60, three);
  fixture_leave(s.f, zero, 70, three);
  fixture_leave(s.f, one, 90, three);
  fixture_enter(s.f, one, 90, nine);
  fixture_leave(s.f, one, 92, nine);
  fixture_team_end(s.f, zero, 95, team);
  fixture_team_end(s.f, one, 95, team);
  s.directory = fixture_finish(s.f);
  struct error error;
  s.trace = trace_open(s.directory, &error);
  assert_non_null(s.trace);
  *state = &s;
  return 0;
}

static int tear_down(void **state)
{
  struct scene *s = *state;
  pool_destroy(s->pool);
  trace_close(s->trace);
  fixture_destroy(s->f);
  return 0;
}

/* The only interval of a specification must be found so often, with so many ticks in all. */
static void expect(const struct scene *s, const char *text, uint64_t count, uint64_t ticks)
{
  struct error error = {.message = ""};
  struct intervals intervals;
  struct spec *spec = spec_parse("t", text, strlen(text), &error);
  if (!spec || !spec_check(spec, &error))
    fail_msg("%s: %s", text, error.message);
  struct match_plan *plan = plan_create(spec);
  const struct intervals_options options = {.spec = spec, .plan = plan, .work = 1000};
  assert_true(plan && analysis_find(&intervals_analysis, s->trace, s->pool, &options, &intervals, &error));
  if (intervals.list[0].lengths.count != count || (uint64_t)intervals.list[0].lengths.total != ticks)
    fail_msg("%s: %llu intervals, %llu ticks", text, (unsigned long long)intervals.list[0].lengths.count,
             (unsigned long long)intervals.list[0].lengths.total);
  assert_int_equal(intervals.missing_count, strstr(text, "nowhere") ? 1 : 0);
  analysis_free(&intervals_analysis, &intervals);
  plan_free(plan);
  spec_free(spec);
}

static void own_events(void **state)
{
  const struct scene *s = *state;
  expect(s, "interval Wake [ u: unpark -> p: \"end of park\" ] where { u.target == p.thread } = line;", 1, 5);
  expect(s, "interval Park [ park -> park_end ]", 1, 15);
  expect(s, "interval Held [ a:lock -> b:unlock ] { a.lock == b.lock && a.thread == b.thread }", 2, 25);
  expect(s, "interval Next [ a:unlock -> b:lock ] { a.lock == b.lock }", 1, 0); /* thread 0 is first at a tick */
  expect(s, "interval For [ \"!$omp for\" -> \"end of !$omp for\" ]", 3, 42);
  expect(s, "interval For [ \"!$omp for @a.c:3\" -> \"end of !$omp for @a.c:3\" ]", 2, 40);
  expect(s, "interval Nine [ a:region_begin -> b:region_end ] { a.line == 9 && a.thread == b.thread }", 1, 2);
  expect(s, "interval None [ \"nowhere\" -> lock ]", 0, 0);
}

static void own_attributes(void **state)
{
  const struct scene *s = *state;
  expect(s, "interval A [ a:\"!$omp for\" -> b:\"end of !$omp for\" ] { a.member == b.member && a.member == 1 }", 2,
         32);
  expect(s,
         "interval A [ a:\"!$omp for\" -> b:\"end of !$omp for\" ] { a.construct == b.construct && a.line == 3 "
         "&& b.thread_name == \"one\" }",
         2, 60);
  expect(s, "interval A [ a:lock -> b:unlock ] { a.thread == b.thread && a.time < 35 us }", 1, 10);
  expect(s, "interval A [ a:lock -> b:unlock ] { a.thread == b.thread && b.time - a.time > 10 us }", 1, 15);
  expect(s, "interval A [ a:lock -> b:unlock ] { a.process == b.process } within 12 us", 1, 10);
}

static void of_one_run(void **state)
{
  const struct scene *s = *state;
  struct outcome outcome;
  char path[512];
  snprintf(path, sizeof path, "%s/spec", s->directory);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("interval Held [ a:lock -> b:unlock ] { a.lock == b.lock && a.thread == b.thread }\n"
        "assert { count(Held) == N }\nassert { Held.time < 12 us }\n",
        file);
  fclose(file);
  run(&outcome, KEEP_ERRORS, "intervals --spec %s -D N=2 %s", path, s->directory);
  assert_int_equal(outcome.status, 1);
  assert_one_line(outcome.out);
  assert_non_null(strstr(outcome.out, "heddle intervals: assertion failed: "));
  assert_non_null(strstr(outcome.out, "spec:3:1: `Held.time < 12 us` does not hold in 1 of 2 intervals"));
  run(&outcome, KEEP_OUTPUT, "intervals --spec %s -D N=2 --to 50us --csv %s", path, s->directory);
  assert_int_equal(outcome.status, 1); /* only one of them ends in this part */
  assert_non_null(strstr(outcome.out, "\nHeld,1,1,0,10,"));
  run(&outcome, KEEP_ERRORS, "intervals --spec %s %s", path, s->directory);
  assert_int_equal(outcome.status, 1);
  assert_one_line(outcome.out);
  assert_non_null(strstr(outcome.out, "spec:2:25: `N` is not declared"));
  run(&outcome, KEEP_ERRORS, "intervals %s", s->directory);
  assert_int_equal(outcome.status, 2);
  run(&outcome, KEEP_OUTPUT, "intervals --spec %s -D N=2 --explain %s", path, s->directory);
  assert_int_equal(outcome.status, 0);
  assert_non_null(strstr(outcome.out, "found by hash: a.lock == b.lock"));
}

static void lengths(void **state)
{
  (void)state;
  struct lengths lengths = {0};
  for (uint64_t i = 1; i <= 100; i++)
    assert_true(lengths_add(&lengths, 1000000000000 + i));
  assert_true(lengths_mean(&lengths) == 1000000000050.5);
  assert_float_equal(lengths_deviation(&lengths), 28.86607, 1e-4);
  uint64_t median = lengths_percentile(&lengths, 0.5);
  assert_true(median >= 1000000000050 && median <= 1000000000100);
  lengths_free(&lengths);
  for (uint64_t k = 0; k < 64; k++)
    assert_true(lengths_add(&lengths, 1ull << k) && lengths_add(&lengths, (1ull << k) - 1));
  uint64_t counts[65], sum = 0;
  lengths_histogram(&lengths, counts);
  for (unsigned k = 0; k <= 64; k++)
    sum += counts[k];
  assert_int_equal(sum, 128);
  assert_int_equal(counts[0], 1);
  assert_int_equal(counts[64], 1);
  for (uint64_t percent = 1; percent <= 100; percent++) {
    uint64_t exact = 0, wanted = (percent * 128 + 99) / 100;
    for (uint64_t k = 0, seen = 0; k < 64 && seen < wanted; k++)
      for (int add = 0; add < 2 && seen < wanted; add++, seen++)
        exact = (1ull << k) - !add;
    uint64_t shown = lengths_percentile(&lengths, (double)percent / 100);
    assert_true(shown >= exact && shown - exact <= exact / 32);
  }
  lengths_free(&lengths);
}

UNIT_TEST(intervals)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(own_events, set_up, tear_down),
                                     cmocka_unit_test_setup_teardown(own_attributes, set_up, tear_down),
                                     cmocka_unit_test_setup_teardown(of_one_run, set_up, tear_down),
                                     cmocka_unit_test(lengths)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
