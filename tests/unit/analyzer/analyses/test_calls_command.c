/* `heddle calls` as its users meet it: several triggers, units, relatives, two runs, names from anywhere. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/analyzer/program.h"
#include "tests/unit/analyzer/samples_archive.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One thread. main calls work and the function with a name that must be escaped; each has so many samples by processor
 * time, and by page faults. */
struct run_of {
  uint32_t main[2], work[2], strange[2];
};

static struct fixture *record_nothing(void)
{
  struct fixture *f = fixture_create();
  fixture_location(f, "master");
  fixture_archive_property(f, "HEDDLE::SAMPLES", "364");
  fixture_archive_property(f, "HEDDLE::SAMPLES_LEFT_OUT", "2");
  fixture_thread_begin(f, 0, 0);
  fixture_thread_end(f, 0, 1000);
  return f;
}

static struct fixture *record(struct run_of samples, const char **directory)
{
  struct fixture *f = record_nothing();
  *directory = fixture_finish(f);
  struct taken *s = taken_create(*directory);
  taken_trigger(s, "page-faults", false, 100);
  taken_trigger(s, "cpu", true, 1000000);
  uint32_t top = taken_context(s, TAKEN_TOP, taken_function(s, "main"), 3);
  uint32_t work = taken_context(s, top, taken_function(s, "work"), 4);
  uint32_t strange = taken_context(s, top, taken_function(s, "evil\n\033[31m"), 5);
  for (uint32_t trigger = 0; trigger < 2; trigger++) {
    taken_take(s, 0, 10 + 100 * trigger, top, trigger, samples.main[1 - trigger]);
    taken_take(s, 0, 20 + 100 * trigger, work, trigger, samples.work[1 - trigger]);
    taken_take(s, 0, 30 + 100 * trigger, strange, trigger, samples.strange[1 - trigger]);
  }
  taken_finish(s);
  return f;
}

static const struct run_of usual = {{30, 50}, {20, 11}, {50, 39}};

static void assert_has(const struct outcome *outcome, const char *text)
{
  if (!strstr(outcome->out, text))
    fail_msg("'%s' is not in:\n%s", text, outcome->out);
}

/* A line of the text begins with the first and has the second. */
static void assert_row(const struct outcome *outcome, const char *begin, const char *part)
{
  for (const char *line = outcome->out; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    char copy[512];
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
    if (strncmp(copy, begin, strlen(begin)) == 0 && strstr(copy, part))
      return;
  }
  fail_msg("no line '%s ... %s' in:\n%s", begin, part, outcome->out);
}

static void what_was_lost_is_in_the_first_line(void **unused)
{
  (void)unused;
  const char *directory;
  struct outcome outcome;
  struct fixture *f = record(usual, &directory);
  run(&outcome, KEEP_OUTPUT, "calls %s", directory);
  assert_int_equal(outcome.status, 0);
  assert_int_equal(strncmp(outcome.out, "Samples  ", 9), 0);
  assert_row(&outcome, "Samples ", "364 taken, 2 lost: 2 of threads that were not recorded");
  assert_row(&outcome, "Trigger ", "cpu, each 1.000 ms"); /* the first one of time */
  fixture_destroy(f);
}

/* A function weighs 15.5 % if it has 20 % of the samples of one trigger and 11 % of the other one's samples. */
static void several_triggers_make_a_weight(void **unused)
{
  (void)unused;
  const char *directory;
  struct outcome outcome;
  struct fixture *f = record(usual, &directory);
  run(&outcome, KEEP_OUTPUT, "calls %s", directory);
  assert_row(&outcome, "work", "15.5 %");
  assert_row(&outcome, "work", "20.0 %");
  assert_row(&outcome, "work", "20.00 ms");
  assert_row(&outcome, "main", "100.0 ms");
  run(&outcome, KEEP_OUTPUT, "calls --trigger page-faults %s", directory);
  assert_row(&outcome, "work", "1,100");
  assert_row(&outcome, "work", "11.0 %");
  assert_row(&outcome, "work", "15.5 %");
  run(&outcome, KEEP_OUTPUT, "calls --trigger page-faults --unit samples %s", directory);
  assert_row(&outcome, "work", " 11 ");
  run(&outcome, KEEP_OUTPUT, "calls --unit period %s", directory);
  assert_row(&outcome, "work", "20,000,000");
  fixture_destroy(f);
}

static void names_are_escaped(void **unused)
{
  (void)unused;
  static const char *const views[] = {"", "--tree", "--lines", "--by thread", "--callees main", "--csv"};
  const char *directory;
  struct outcome outcome;
  struct fixture *f = record(usual, &directory);
  for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
    run(&outcome, KEEP_OUTPUT, "calls %s %s", views[i], directory);
    assert_int_equal(outcome.status, 0);
    assert_has(&outcome, "evil");
    assert_null(strchr(outcome.out, '\033'));
  }
  fixture_destroy(f);
}

/* Names with what ends a frame or a line do not end one. */
static void folded_stacks_are_lines_of_frames(void **unused)
{
  (void)unused;
  struct outcome outcome;
  struct fixture *f = record_nothing();
  const char *directory = fixture_finish(f);
  struct taken *s = taken_create(directory);
  taken_trigger(s, "cpu", true, 1000000);
  uint32_t top = taken_context(s, TAKEN_TOP, taken_function(s, "a;b\nc"), 0);
  taken_take(s, 0, 10, taken_context(s, top, taken_function(s, "f 7"), 0), 0, 3);
  taken_finish(s);
  run(&outcome, KEEP_OUTPUT, "export --to folded -o - %s", directory);
  assert_int_equal(outcome.status, 0);
  assert_string_equal(outcome.out, "a:b\\x0ac;f 7 3\n");
  run(&outcome, KEEP_OUTPUT, "export --to folded --root thread -o - %s", directory);
  assert_string_equal(outcome.out, "program [1];master;a:b\\x0ac;f 7 3\n");
  run(&outcome, KEEP_ERRORS, "export --to folded --trigger page-faults -o - %s", directory);
  assert_int_equal(outcome.status, 1);
  assert_one_line(outcome.out);
  fixture_destroy(f);
}

/* If a stack is too deep, the innermost frames remain. */
static void deep_stacks_are_cut(void **unused)
{
  (void)unused;
  enum { DEEP = 20000, KEPT = 4096 };
  struct outcome outcome;
  struct fixture *f = record_nothing();
  const char *directory = fixture_finish(f);
  struct taken *s = taken_create(directory);
  uint32_t context = TAKEN_TOP, names[] = {taken_function(s, "x"), taken_function(s, "y")};
  taken_trigger(s, "cpu", true, 1000000);
  for (int i = 0; i < DEEP; i++)
    context = taken_context(s, context, names[i + 1 == DEEP], 0);
  taken_take(s, 0, 10, context, 0, 1);
  taken_finish(s);
  run(&outcome, KEEP_OUTPUT, "export --to folded -o - %s", directory);
  assert_int_equal(strncmp(outcome.out, "[more callers];x;x;", 19), 0);
  assert_int_equal(strlen(outcome.out), strlen("[more callers]") + 2 * KEPT + strlen(" 1\n"));
  assert_has(&outcome, ";x;y 1\n");
  run(&outcome, KEEP_OUTPUT, "export --to pprof -o /dev/null %s", directory);
  assert_int_equal(outcome.status, 0);
  run(&outcome, KEEP_OUTPUT, "calls --cycles %s", directory);
  assert_int_equal(outcome.status, 0);
  fixture_destroy(f);
}

static void assert_refused(const char *directory, const char *options, int status, const char *reason)
{
  struct outcome outcome;
  run(&outcome, KEEP_ERRORS, "calls %s %s", options, directory);
  assert_int_equal(outcome.status, status);
  assert_one_line(outcome.out);
  assert_has(&outcome, reason);
  run(&outcome, KEEP_OUTPUT, "calls %s %s", options, directory);
  assert_string_equal(outcome.out, "");
}

static void wrong_questions_have_one_line(void **unused)
{
  (void)unused;
  const char *directory;
  struct fixture *f = record(usual, &directory);
  assert_refused(directory, "--trigger cycles", 1, "they have: page-faults, cpu");
  assert_refused(directory, "--trigger page-faults --unit time", 1, "counts events");
  assert_refused(directory, "--callers nobody", 1, "no sample has this function");
  assert_refused(directory, "--tree --cycles", 2, "exclude each other");
  assert_refused(directory, "--tree --min 101", 2, "--min 101");
  assert_refused(directory, "--min 5", 2, "--min needs --tree");
  fixture_destroy(f);
}

static void two_runs_differ_beyond_chance(void **unused)
{
  (void)unused;
  const char *before, *after;
  struct outcome outcome;
  struct run_of changed = {{30, 50}, {90, 11}, {44, 39}};
  struct fixture *first = record(usual, &before), *second = record(changed, &after);
  run(&outcome, KEEP_OUTPUT, "calls %s %s", before, after);
  assert_int_equal(outcome.status, 0);
  assert_row(&outcome, "work", "70.00 ms");
  assert_row(&outcome, "work", "20.56 ms  yes"); /* 1.96 sqrt(20 + 90) */
  assert_row(&outcome, "evil", "-6.000 ms");
  assert_row(&outcome, "evil", "19.00 ms  no");
  assert_row(&outcome, "main", "31.85 ms  yes"); /* inclusive: 100 and 164 samples */
  fixture_destroy(first);
  fixture_destroy(second);
}

UNIT_TEST(calls_command)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_lost_is_in_the_first_line),
                                     cmocka_unit_test(several_triggers_make_a_weight),
                                     cmocka_unit_test(names_are_escaped),
                                     cmocka_unit_test(folded_stacks_are_lines_of_frames),
                                     cmocka_unit_test(deep_stacks_are_cut),
                                     cmocka_unit_test(wrong_questions_have_one_line),
                                     cmocka_unit_test(two_runs_differ_beyond_chance)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
