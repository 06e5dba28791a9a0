/* The program `heddle` as a user meets it: usage, exit statuses, one line for every mistake, output for programs. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/analyzer/program.h"
#include "tests/unit/unit.h"

#include "base/count_of.h"

#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void usage_errors(void **state)
{
  (void)state;
  static const char *const lines[] = {
      "states",
      "states a b",
      "states --nosuch x",
      "states -x y",
      "states --by nonsense x",
      "states --by",
      "states --list 0 --by region x",
      "states --json --csv x",
      "states --json=x y",
      "states --j 1 x",
      "states -j 0 x",
      "states -j many x",
      "info",
      "info --threads x",
      "imbalance",
      "imbalance --by region x",
      "locks",
      "schedule",
      "locks --top x y",
      "locks --top 0 y",
      "locks --threads x",
      "waits",
      "waits --top 0 y",
      "critical-path",
      "critical-path --by thread x",
      "why",
      "why --threshold 0 x",
      "why --threshold 101 x",
      "record",
      "record --",
      "record --ring",
      "record --ring x -- true",
      "record --max-size 99999999999G -- true",
      "record --nosuch -- true",
      "record --dry-run",
      "record --dry-run=x -- true",
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    struct outcome o;
    run(&o, KEEP_ERRORS, "%s", lines[i]);
    if (o.status != 2)
      fail_msg("heddle %s: exit status %d", lines[i], o.status);
    assert_one_line(o.out);
  }
}

/* Tests of single commands: test_command_table.c. */
static void version(void **state)
{
  (void)state;
  struct outcome o;
  run(&o, KEEP_OUTPUT, "--version");
  assert_int_equal(o.status, 0);
  assert_int_equal(strncmp(o.out, "heddle ", 7), 0);
}

static void input_errors(void **state)
{
  (void)state;
  struct outcome o;
  char directory[] = "/tmp/heddle-unit-XXXXXX";
  char path[128];
  static const char *const commands[] = {"info",  "states",   "imbalance", "states --json", "states --list 0",
                                         "locks", "schedule", "waits",     "critical-path", "why"};
  assert_non_null(mkdtemp(directory));
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    run(&o, KEEP_ERRORS, "%s /nonexistent/trace", commands[i]);
    assert_int_equal(o.status, 1);
    assert_one_line(o.out);
    run(&o, KEEP_ERRORS, "%s %s", commands[i], directory);
    assert_int_equal(o.status, 1);
    assert_one_line(o.out);
    run(&o, KEEP_ERRORS, "%s /etc/passwd", commands[i]);
    assert_int_equal(o.status, 1);
    assert_one_line(o.out);
  }
  snprintf(path, sizeof path, "mkdir %s/raw", directory);
  assert_int_equal(system(path), 0);
  run(&o, KEEP_ERRORS, "info %s", directory);
  assert_int_equal(o.status, 1);
  assert_non_null(strstr(o.out, "heddle convert"));
  snprintf(path, sizeof path, "rm -r %s", directory);
  assert_int_equal(system(path), 0);
}

/* Which archive is meant, and if it is not clear, why not. */
static void directories(void **state)
{
  (void)state;
  struct outcome o;
  char directory[] = "/tmp/heddle-unit-XXXXXX";
  char line[256];
  assert_non_null(mkdtemp(directory));
  snprintf(line, sizeof line, "touch %s/a.otf2 %s/b.otf2", directory, directory);
  assert_int_equal(system(line), 0);
  run(&o, KEEP_ERRORS, "info %s", directory);
  assert_int_equal(o.status, 1);
  assert_one_line(o.out);
  assert_non_null(strstr(o.out, "several"));
  snprintf(line, sizeof line, "rm -r %s", directory);
  assert_int_equal(system(line), 0);
  run(&o, KEEP_ERRORS, "info ''");
  assert_int_equal(o.status, 1);
  assert_one_line(o.out);

  struct fixture *f = fixture_create();
  run(&o, KEEP_OUTPUT, "info %s///", fixture_finish(f));
  assert_int_equal(o.status, 0);
  assert_null(strstr(o.out, "//"));
  fixture_destroy(f);
}

/* A disk that is full, or a closed output, is the command's failure, and it says so. */
static void no_place_for_output(void **state)
{
  (void)state;
  static const char *const lines[] = {"--help", "--version",   "states --help",        "record --help",
                                      "states", "info --json", "states --list 0 --csv"};
  struct fixture *f = fixture_create();
  fixture_location(f, "silent");
  const char *directory = fixture_finish(f);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    struct outcome o;
    run(&o, OUTPUT_FAILS, "%s %s", lines[i], strstr(lines[i], "-h") || i < 2 ? "" : directory);
    assert_int_equal(o.status, 1);
    assert_one_line(o.out);
  }
  fixture_destroy(f);
}

/* Two threads, a region with a loop, and names that mean harm. */
static struct fixture *make_archive(void)
{
  struct fixture *f = fixture_create();
  uint32_t a = fixture_location(f, "master \x1b[31m\xff");
  uint32_t b = fixture_location(f, "worker, \"quoted\"");
  uint32_t team = fixture_team(f, (const uint32_t[]){a, b}, 2);
  uint32_t parallel = fixture_openmp(f, "!$omp parallel @a\n.c:1", OTF2_REGION_ROLE_PARALLEL);
  uint32_t loop = fixture_openmp(f, "!$omp for @a.c:2", OTF2_REGION_ROLE_LOOP);
  fixture_property(f, "HEDDLE::COMMAND", "./a.out \x07");
  for (uint32_t t = 0; t < 2; t++) {
    fixture_team_begin(f, t, 0, team);
    fixture_enter(f, t, 0, parallel);
    fixture_enter(f, t, 0, loop);
    fixture_leave(f, t, 1000 + 1000 * t, loop);
    fixture_leave(f, t, 2000, parallel);
    fixture_team_end(f, t, 2000, team);
  }
  return f;
}

/* The same for commands that read sequences, models and fits: one line, not one of the printer and one of the command.
 */
static void no_place_for_models(void **state)
{
  (void)state;
  static const char *const makers[] = {"pes -o run.pes .", "model -o run.model run.pes",
                                       "simulate --records 50 -o long.pes run.model"};
  static const char *const lines[] = {"pes .",
                                      "pes run.pes",
                                      "transform --preview --filter-time 1% run.pes",
                                      "model run.pes",
                                      "model --dot run.pes",
                                      "transform --compare empty.list run.pes",
                                      "spectrum --lines long.pes",
                                      "whatif run.model",
                                      "validate run.model run.pes"};
  struct fixture *f = make_archive();
  static struct outcome o;
  char here[PATH_MAX];
  assert_non_null(getcwd(here, sizeof here));
  assert_int_equal(chdir(fixture_finish(f)), 0);
  assert_int_equal(system("touch empty.list"), 0);
  for (size_t i = 0; i < COUNT_OF(makers); i++) {
    run(&o, KEEP_ERRORS, "%s", makers[i]);
    assert_int_equal(o.status, 0);
  }
  for (size_t i = 0; i < COUNT_OF(lines); i++) {
    run(&o, OUTPUT_FAILS, "%s", lines[i]);
    if (o.status != 1 || strncmp(o.out, "heddle: cannot write the output: ", 33) != 0)
      fail_msg("heddle %s: %d, %s", lines[i], o.status, o.out);
    assert_one_line(o.out);
  }
  assert_int_equal(chdir(here), 0);
  fixture_destroy(f);
}

static const char *const reports[] = {"info",
                                      "states",
                                      "states --by region",
                                      "states --list 0",
                                      "states -j 3",
                                      "imbalance",
                                      "imbalance --threads",
                                      "imbalance --waits",
                                      "locks",
                                      "schedule",
                                      "waits",
                                      "critical-path",
                                      "why",
                                      "states --list 'worker, \"quoted\"'"};
#define REPORTS (sizeof reports / sizeof *reports)

static void reports_are_clean(void **state)
{
  (void)state;
  struct fixture *f = make_archive();
  const char *directory = fixture_finish(f);
  for (size_t i = 0; i < REPORTS; i++) {
    struct outcome o;
    run(&o, KEEP_OUTPUT, "%s %s", reports[i], directory);
    assert_int_equal(o.status, 0);
    for (const char *at = o.out; *at; at++)
      assert_true((unsigned char)*at >= 0x20 || *at == '\n');
    run(&o, KEEP_ERRORS, "%s %s/traces.otf2", reports[i], directory);
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out, "");
  }
  fixture_destroy(f);
}

static void reports_as_json_and_csv(void **state)
{
  (void)state;
  struct fixture *f = make_archive();
  const char *directory = fixture_finish(f);
  for (size_t i = 0; i < REPORTS; i++) {
    struct outcome o;
    json_error_t error;
    run(&o, KEEP_OUTPUT, "%s --json %s", reports[i], directory);
    assert_int_equal(o.status, 0);
    json_t *document = json_loads(o.out, 0, &error);
    if (!document)
      fail_msg("%s: %s: %s", reports[i], error.text, o.out);
    assert_true(json_is_object(document));
    json_decref(document);
    run(&o, KEEP_OUTPUT, "%s --csv %s", reports[i], directory);
    assert_int_equal(o.status, 0);
    assert_true(strlen(o.out) > 10);
  }
  fixture_destroy(f);
}

static void states_of_json_add_up(void **state)
{
  (void)state;
  struct fixture *f = make_archive();
  struct outcome o;
  run(&o, KEEP_OUTPUT, "states --json %s", fixture_finish(f));
  json_t *document = json_loads(o.out, 0, NULL);
  json_t *threads = json_object_get(document, "threads");
  assert_int_equal(json_array_size(threads), 3); /* and all threads together */
  for (size_t i = 0; i < 3; i++) {
    static const char *const keys[] = {"run", "idle", "overhead", "synch", "traceflush", "unmeasured"};
    json_t *row = json_array_get(threads, i);
    json_int_t sum = 0;
    for (size_t k = 0; k < 6; k++)
      sum += json_integer_value(json_object_get(json_object_get(row, keys[k]), "ticks"));
    assert_int_equal(sum, json_integer_value(json_object_get(json_object_get(row, "lifetime"), "ticks")));
    assert_int_equal(sum, i == 2 ? 4000 : 2000);
  }
  json_decref(document);
  fixture_destroy(f);
}

static void unknown_thread(void **state)
{
  (void)state;
  struct fixture *f = make_archive();
  const char *directory = fixture_finish(f);
  struct outcome o;
  run(&o, KEEP_ERRORS, "states --list 2 %s", directory);
  assert_int_equal(o.status, 1);
  assert_one_line(o.out);
  run(&o, KEEP_ERRORS, "states --list nobody %s", directory);
  assert_int_equal(o.status, 1);
  assert_one_line(o.out);
  fixture_destroy(f);
}

/* An archive with definitions and no events, or without any thread, is a small archive and no error. */
static void empty_archives(void **state)
{
  (void)state;
  for (int threads = 0; threads < 2; threads++) {
    struct fixture *f = fixture_create();
    if (threads)
      fixture_location(f, "silent");
    const char *directory = fixture_finish(f);
    static const char *const commands[] = {
        "info",     "states", "states --by region", "imbalance", "imbalance --json", "locks",
        "schedule", "waits",  "critical-path",      "why"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
      struct outcome o;
      run(&o, KEEP_OUTPUT, "%s %s", commands[i], directory);
      assert_int_equal(o.status, 0);
    }
    struct outcome o;
    run(&o, KEEP_ERRORS, "states --list 0 %s", directory);
    assert_int_equal(o.status, !threads);
    assert_null(strstr(o.out, "4294967295"));
    fixture_destroy(f);
  }
}

/* Regions of a program without OpenMP are RUN, and there is nothing to balance. */
static void without_openmp(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  fixture_location(f, "main");
  uint32_t function = fixture_region(f, "main", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 3);
  fixture_enter(f, 0, 10, function);
  fixture_leave(f, 0, 35, function);
  const char *directory = fixture_finish(f);
  struct outcome o;
  run(&o, KEEP_OUTPUT, "states --csv %s", directory);
  assert_int_equal(o.status, 0);
  assert_non_null(strstr(o.out, "0,main,,25,"));
  run(&o, KEEP_OUTPUT, "imbalance %s", directory);
  assert_int_equal(o.status, 0);
  assert_non_null(strstr(o.out, "heddle why "));
  fixture_destroy(f);
}

/* `heddle record --off` runs a program as if it were not there. */
static void record_is_transparent(void **state)
{
  (void)state;
  struct outcome o;
  run(&o, KEEP_OUTPUT, "record --off -- sh -c 'echo hello; exit 7'");
  assert_int_equal(o.status, 7);
  assert_string_equal(o.out, "hello\n");
  run(&o, KEEP_OUTPUT, "record --off -- sh -c 'kill -TERM $$'");
  assert_int_equal(o.status, 128 + SIGTERM);
  run(&o, KEEP_OUTPUT, "record --off -- sh -c 'kill -KILL $$'");
  assert_int_equal(o.status, 128 + SIGKILL);
  run(&o, KEEP_OUTPUT, "record --off sh -c 'test $HEDDLE = off'");
  assert_int_equal(o.status, 0);
  run(&o, KEEP_ERRORS, "record --off -- /nonexistent/program");
  assert_int_equal(o.status, 127);
  assert_one_line(o.out);
  run(&o, KEEP_ERRORS, "record --off -- /etc/passwd");
  assert_int_equal(o.status, 126);
  assert_one_line(o.out);
}

/* If a run left no trace, nothing stays behind, however deep its directory was to be. */
static void record_cleans_up(void **state)
{
  (void)state;
  struct outcome o;
  char directory[] = "/tmp/heddle-unit-XXXXXX";
  assert_non_null(mkdtemp(directory));
  run(&o, KEEP_ERRORS, "record -o %s/a/b/c -- true", directory);
  assert_one_line(o.out);
  run(&o, KEEP_ERRORS, "record -o %s/a/b -- /nonexistent/program", directory);
  assert_int_equal(o.status, 127);
  assert_int_equal(rmdir(directory), 0);
}

/* A signal that another process sends to heddle reaches the program, and its end is heddle's. */
static void record_passes_signals_on(void **state)
{
  (void)state;
  struct outcome o;
  run(&o, KEEP_OUTPUT, "record --off -- sh -c 'trap \"exit 5\" TERM; kill -TERM $PPID; while :; do sleep 0.01; done'");
  assert_int_equal(o.status, 5);
}

UNIT_TEST(commands)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(usage_errors),
      cmocka_unit_test(version),
      cmocka_unit_test(input_errors),
      cmocka_unit_test(directories),
      cmocka_unit_test(no_place_for_output),
      cmocka_unit_test(no_place_for_models),
      cmocka_unit_test(reports_are_clean),
      cmocka_unit_test(reports_as_json_and_csv),
      cmocka_unit_test(states_of_json_add_up),
      cmocka_unit_test(unknown_thread),
      cmocka_unit_test(empty_archives),
      cmocka_unit_test(without_openmp),
      cmocka_unit_test(record_is_transparent),
      cmocka_unit_test(record_cleans_up),
      cmocka_unit_test(record_passes_signals_on),
  };
  return cmocka_run_group_tests_name("commands", tests, NULL, NULL);
}
