/* `heddle calls` of exact calls: known answers, recursion and cycles, what they cannot say, and runs that have both. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/analyzer/program.h"
#include "tests/unit/analyzer/samples_archive.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fixture *begin(const char *samples)
{
  struct fixture *f = fixture_create();
  fixture_location(f, "master");
  fixture_location(f, "worker");
  fixture_archive_property(f, "HEDDLE::CALLS", "6");
  fixture_archive_property(f, "HEDDLE::CALLS_LEFT", "2");
  if (samples)
    fixture_archive_property(f, "HEDDLE::SAMPLES", samples);
  for (uint32_t i = 0; i < 2; i++) {
    fixture_thread_begin(f, i, 0);
    fixture_thread_end(f, i, 1000);
  }
  return f;
}

/*
 * On the first thread main (100 ticks, still running at the end) calls a, which calls itself once, and b, which a calls
 * again. So a is on the path three times. The second thread calls b alone, and waits in it.
 */
static void add_calls(const char *directory)
{
  struct taken *c = taken_create_calls(directory);
  uint32_t main_ = taken_function(c, "main"), a = taken_function(c, "a"), b = taken_function(c, "b");
  uint32_t top = taken_context(c, TAKEN_TOP, main_, 3), in_a = taken_context(c, top, a, 10);
  uint32_t again = taken_context(c, in_a, a, 10), in_b = taken_context(c, again, b, 20);
  uint32_t last = taken_context(c, in_b, a, 10), alone = taken_context(c, TAKEN_TOP, b, 20);
  taken_add(c, 0, top, (struct taken_sums){.calls = 1, .inclusive = 100, .self = 10, .running = 1});
  taken_add(c, 0, in_a, (struct taken_sums){.calls = 2, .inclusive = 90, .self = 20, .shortest = 30, .longest = 60});
  taken_add(c, 0, again, (struct taken_sums){.calls = 2, .inclusive = 70, .self = 25, .shortest = 5, .longest = 65});
  taken_add(c, 0, in_b,
            (struct taken_sums){.calls = 4, .inclusive = 45, .self = 28, .blocked = 2, .shortest = 10, .longest = 13});
  taken_add(c, 0, last, (struct taken_sums){.calls = 3, .inclusive = 15, .self = 15, .shortest = 4, .longest = 6});
  taken_add(c, 1, alone,
            (struct taken_sums){.calls = 7, .inclusive = 50, .self = 10, .blocked = 40, .shortest = 2, .longest = 11});
  taken_finish(c);
}

static struct fixture *record(const char *samples, const char **directory)
{
  struct fixture *f = begin(samples);
  *directory = fixture_finish(f);
  add_calls(*directory);
  if (samples) {
    struct taken *s = taken_create(*directory);
    taken_trigger(s, "cpu", true, 1000000);
    taken_take(s, 0, 10, taken_context(s, TAKEN_TOP, taken_function(s, "sampled"), 3), 0, 5);
    taken_finish(s);
  }
  return f;
}

static void assert_printed(const char *directory, const char *options, const char *expected)
{
  struct outcome outcome;
  run(&outcome, KEEP_OUTPUT, "calls --csv %s %s", options, directory);
  assert_int_equal(outcome.status, 0);
  assert_string_equal(outcome.out, expected);
}

/* A call is in a function's inclusive time once, however often the function is on its path. */
static void functions_have_exact_figures(void **unused)
{
  (void)unused;
  const char *directory;
  struct fixture *f = record(NULL, &directory);
  assert_printed(directory, "",
                 "function,file,line,module,calls,self_ticks,self_s,self_share,blocked_ticks,blocked_s,"
                 "inclusive_ticks,inclusive_s,inclusive_share,shortest_ticks,shortest_s,longest_ticks,"
                 "longest_s,running\n"
                 "a,/src/a.c,,/bin/program,7,60,0.000060000,40,0,0.000000000,90,0.000090000,60,4,0.000004000,"
                 "65,0.000065000,0\n"
                 "b,/src/b.c,,/bin/program,11,38,0.000038000,25.3333,42,0.000042000,95,0.000095000,63.3333,2,"
                 "0.000002000,13,0.000013000,0\n"
                 "main,/src/main.c,,/bin/program,1,10,0.000010000,6.66667,0,0.000000000,100,0.000100000,"
                 "66.6667,,,,,1\n");
  fixture_destroy(f);
}

static void a_tree_has_each_path(void **unused)
{
  (void)unused;
  const char *directory;
  struct fixture *f = record(NULL, &directory);
  assert_printed(directory, "--tree",
                 "function,file,line,module,node,parent,calls,inclusive_ticks,inclusive_s,inclusive_share,"
                 "self_ticks,self_s,blocked_ticks,blocked_s,shortest_ticks,shortest_s,longest_ticks,longest_s,"
                 "running\n"
                 "main,/src/main.c,,/bin/program,1,,1,100,0.000100000,66.6667,10,0.000010000,0,0.000000000,,,,"
                 ",1\n"
                 "a,/src/a.c,,/bin/program,2,1,2,90,0.000090000,60,20,0.000020000,0,0.000000000,30,"
                 "0.000030000,60,0.000060000,0\n"
                 "a,/src/a.c,,/bin/program,3,2,2,70,0.000070000,46.6667,25,0.000025000,0,0.000000000,5,"
                 "0.000005000,65,0.000065000,0\n"
                 "b,/src/b.c,,/bin/program,4,3,4,45,0.000045000,30,28,0.000028000,2,0.000002000,10,"
                 "0.000010000,13,0.000013000,0\n"
                 "a,/src/a.c,,/bin/program,5,4,3,15,0.000015000,10,15,0.000015000,0,0.000000000,4,0.000004000,"
                 "6,0.000006000,0\n"
                 "b,/src/b.c,,/bin/program,6,,7,50,0.000050000,33.3333,10,0.000010000,40,0.000040000,2,"
                 "0.000002000,11,0.000011000,0\n");
  fixture_destroy(f);
}

static void relatives_add_up(void **unused)
{
  (void)unused;
  const char *directory;
  struct fixture *f = record(NULL, &directory);
  assert_printed(directory, "--callers a --callees a",
                 "function,file,line,module,calls,self_ticks,self_s,blocked_ticks,blocked_s,inclusive_ticks,"
                 "inclusive_s,inclusive_share\n"
                 "a,/src/a.c,,/bin/program,7,60,0.000060000,0,0.000000000,90,0.000090000,60\n"
                 "\n"
                 "function,file,line,module,of,of_where,calls,self_ticks,self_s,blocked_ticks,blocked_s,"
                 "below_ticks,below_s,share\n"
                 "a,/src/a.c,,/bin/program,a,a.c,2,25,0.000025000,0,0.000000000,30,0.000030000,61.1111\n"
                 "main,/src/main.c,,/bin/program,a,a.c,2,20,0.000020000,0,0.000000000,0,0.000000000,22.2222\n"
                 "b,/src/b.c,,/bin/program,a,a.c,3,15,0.000015000,0,0.000000000,0,0.000000000,16.6667\n"
                 "\n"
                 "function,file,line,module,of,of_where,calls,self_ticks,self_s,blocked_ticks,blocked_s,"
                 "below_ticks,below_s,share\n"
                 "b,/src/b.c,,/bin/program,a,a.c,4,28,0.000028000,2,0.000002000,0,0.000000000,33.3333\n");
  fixture_destroy(f);
}

static void cycles_are_found(void **unused)
{
  (void)unused;
  const char *directory;
  struct fixture *f = record(NULL, &directory);
  assert_printed(directory, "--cycles",
                 "cycle,function,file,line,module,calls,self_ticks,self_s,blocked_ticks,blocked_s,"
                 "inclusive_ticks,inclusive_s,cycle_inclusive_ticks,cycle_inclusive_s,cycle_share\n"
                 "1,b,/src/b.c,,/bin/program,11,38,0.000038000,42,0.000042000,95,0.000095000,140,0.000140000,"
                 "93.3333\n"
                 "1,a,/src/a.c,,/bin/program,7,60,0.000060000,0,0.000000000,90,0.000090000,140,0.000140000,"
                 "93.3333\n");
  fixture_destroy(f);
}

static void threads_have_their_own(void **unused)
{
  (void)unused;
  const char *directory;
  struct fixture *f = record(NULL, &directory);
  assert_printed(directory, "--by thread",
                 "thread_name,thread,calls,self_ticks,self_s,blocked_ticks,blocked_s\n"
                 "master,0,12,98,0.000098000,2,0.000002000\n"
                 "worker,1,7,10,0.000010000,40,0.000040000\n"
                 "\n"
                 "thread_name,thread,function,file,line,module,calls,self_ticks,self_s,self_share,blocked_ticks,"
                 "blocked_s,inclusive_ticks,inclusive_s,inclusive_share,shortest_ticks,shortest_s,"
                 "longest_ticks,longest_s,running\n"
                 "master,0,a,/src/a.c,,/bin/program,7,60,0.000060000,60,0,0.000000000,90,0.000090000,90,4,"
                 "0.000004000,65,0.000065000,0\n"
                 "master,0,b,/src/b.c,,/bin/program,4,28,0.000028000,28,2,0.000002000,45,0.000045000,45,10,"
                 "0.000010000,13,0.000013000,0\n"
                 "master,0,main,/src/main.c,,/bin/program,1,10,0.000010000,10,0,0.000000000,100,0.000100000,"
                 "100,,,,,1\n"
                 "worker,1,b,/src/b.c,,/bin/program,7,10,0.000010000,20,40,0.000040000,50,0.000050000,100,2,"
                 "0.000002000,11,0.000011000,0\n");
  assert_printed(directory, "--only-threads 1",
                 "function,file,line,module,calls,self_ticks,self_s,self_share,blocked_ticks,blocked_s,"
                 "inclusive_ticks,inclusive_s,inclusive_share,shortest_ticks,shortest_s,longest_ticks,"
                 "longest_s,running\n"
                 "b,/src/b.c,,/bin/program,7,10,0.000010000,20,40,0.000040000,50,0.000050000,100,2,"
                 "0.000002000,11,0.000011000,0\n");
  fixture_destroy(f);
}

static void assert_has(const struct outcome *outcome, const char *text)
{
  if (!strstr(outcome->out, text))
    fail_msg("'%s' is not in:\n%s", text, outcome->out);
}

static void assert_refused(const char *command, const char *directory, const char *options, const char *reason)
{
  struct outcome outcome;
  run(&outcome, KEEP_ERRORS, "%s %s %s", command, options, directory);
  assert_int_equal(outcome.status, 1);
  assert_one_line(outcome.out);
  assert_has(&outcome, reason);
}

static void what_they_cannot_say_has_one_line(void **unused)
{
  (void)unused;
  static const char *const options[] = {"--lines",        "--by state",    "--by construct", "--trigger cpu",
                                        "--unit samples", "--unit period", "--from 10us",    "--to 50%"};
  const char *directory;
  struct fixture *f = record(NULL, &directory);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    assert_refused("calls", directory, options[i], "is for samples: record with `heddle record --sample`");
  assert_refused("calls", directory, "--callers nobody", "no call has this function");
  assert_refused("calls", directory, "--use samples", "has exact calls and no samples");
  assert_refused("export --to folded -o -", directory, "--from 10us", "is for samples");
  assert_refused("export --to folded -o -", directory, "--trigger cpu", "exact calls have time, blocked and calls");
  fixture_destroy(f);
}

static void one_of_both_is_chosen(void **unused)
{
  (void)unused;
  const char *directory;
  struct outcome outcome;
  struct fixture *f = record("5", &directory);
  run(&outcome, KEEP_OUTPUT, "calls %s", directory);
  assert_has(&outcome, "Figures               exact");
  assert_has(&outcome, "--use samples shows them");
  run(&outcome, KEEP_OUTPUT, "calls --use exact %s", directory);
  assert_null(strstr(outcome.out, "--use samples"));
  run(&outcome, KEEP_OUTPUT, "calls --use samples --lines %s", directory);
  assert_has(&outcome, "sampled.c:3");
  assert_refused("calls", directory, "--lines", "add --use samples");
  run(&outcome, KEEP_OUTPUT, "export --to folded -o - --use samples %s", directory);
  assert_string_equal(outcome.out, "sampled 5\n");
  fixture_destroy(f);
}

/* Values are ns; a tick is 1 us here. */
static void stacks_are_exported(void **unused)
{
  (void)unused;
  const char *directory;
  struct outcome outcome;
  struct fixture *f = record(NULL, &directory);
  run(&outcome, KEEP_OUTPUT, "export --to folded -o - %s", directory);
  assert_string_equal(outcome.out, "main 10000\nmain;a 20000\nmain;a;a 25000\nmain;a;a;b 30000\nmain;a;a;b;a 15000\n"
                                   "b 50000\n");
  run(&outcome, KEEP_OUTPUT, "export --to folded --trigger calls -o - %s", directory);
  assert_string_equal(outcome.out, "main 1\nmain;a 2\nmain;a;a 2\nmain;a;a;b 4\nmain;a;a;b;a 3\nb 7\n");
  run(&outcome, KEEP_OUTPUT, "export --to folded --trigger blocked --root thread -o - %s", directory);
  assert_has(&outcome, ";worker;b 40000\n");
  run(&outcome, KEEP_OUTPUT, "export --to pprof -o /dev/null %s", directory);
  assert_int_equal(outcome.status, 0);
  fixture_destroy(f);
}

static void two_runs_are_compared(void **unused)
{
  (void)unused;
  const char *directory, *sampled;
  struct outcome outcome;
  struct fixture *f = record(NULL, &directory), *other = fixture_create();
  fixture_location(other, "master");
  fixture_archive_property(other, "HEDDLE::SAMPLES", "1");
  fixture_thread_begin(other, 0, 0);
  fixture_thread_end(other, 0, 1000);
  sampled = fixture_finish(other);
  struct taken *s = taken_create(sampled);
  taken_trigger(s, "cpu", true, 1000000);
  taken_take(s, 0, 10, taken_context(s, TAKEN_TOP, taken_function(s, "sampled"), 3), 0, 1);
  taken_finish(s);
  run(&outcome, KEEP_OUTPUT, "calls --csv %s %s", directory, directory);
  assert_int_equal(outcome.status, 0);
  assert_has(&outcome, "\nb,/src/b.c,,/bin/program,11,11,80,0.000080000,80,0.000080000,0,");
  run(&outcome, KEEP_ERRORS, "calls %s %s", directory, sampled);
  assert_int_equal(outcome.status, 1);
  assert_one_line(outcome.out);
  assert_has(&outcome, "one run has exact calls, the other one samples");
  fixture_destroy(f);
  fixture_destroy(other);
}

/* A path that is a circle, and sums in no context, end with a line. */
static void damage_has_one_line(void **unused)
{
  (void)unused;
  for (int damage = 0; damage < 2; damage++) {
    struct fixture *f = begin(NULL);
    const char *directory = fixture_finish(f);
    struct taken *c = taken_create_calls(directory);
    uint32_t context = taken_any_context(c, damage == 0 ? 0 : TAKEN_TOP, taken_function(c, "f"));
    taken_add(c, 0, damage == 0 ? context : context + 7, (struct taken_sums){.calls = 1, .inclusive = 1, .self = 1});
    taken_finish(c);
    assert_refused("calls", directory, "",
                   damage == 0 ? "a parent that is not defined before it" : "in an undefined calling context");
    assert_refused("export --to pprof -o /dev/null", directory, "", "calls.otf2");
    fixture_destroy(f);
  }
}

UNIT_TEST(calls_exact)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(functions_have_exact_figures),
                                     cmocka_unit_test(a_tree_has_each_path),
                                     cmocka_unit_test(relatives_add_up),
                                     cmocka_unit_test(cycles_are_found),
                                     cmocka_unit_test(threads_have_their_own),
                                     cmocka_unit_test(what_they_cannot_say_has_one_line),
                                     cmocka_unit_test(one_of_both_is_chosen),
                                     cmocka_unit_test(stacks_are_exported),
                                     cmocka_unit_test(two_runs_are_compared),
                                     cmocka_unit_test(damage_has_one_line)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
