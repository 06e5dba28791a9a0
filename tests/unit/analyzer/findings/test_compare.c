/* Runs with known figures: what is found, how sure it is, and how rows of edited sources are matched. */
#include "analyzer/findings/compare/changes.h"
#include "analyzer/findings/compare/compare.h"
#include "base/hash.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOPS = 5 };

/* A run of five equal loops; the factor is of the loop with this number. */
struct made {
  double speed, noise, factor;
  unsigned loop, executions;
  int shift;            /* of all lines */
  const char *function; /* of the loop with this number */
};

static const struct made usual = {1, 0.01, 1, 2, 100, 0, "third"};

static double noisy(double value, double noise, uint64_t *random)
{
  return value * (1 + noise * ((double)(hash_draw(random) % 2001) / 1000 - 1));
}

static void make_run(struct runs *runs, const struct made *made, uint64_t *random)
{
  struct run_figures run = {.path = strdup("made"), .program = strdup("program"), .threads = 2, .processor_time = true};
  double all = 0, loops[LOOPS];
  run.began = runs->list.count + 1;
  for (unsigned i = 0; i < LOOPS; i++)
    all += loops[i] = noisy(made->speed * (i == made->loop ? made->factor : 1), made->noise, random);
  struct run_row *row = run_row_find(&run, ROW_RUN, "the run", NULL, NULL, 0);
  run_row_add(row, RUN_TIME, all);
  run_row_add(row, RUN_WALL, noisy(all, made->noise, random));
  for (unsigned i = 0; i < LOOPS; i++) {
    row = run_row_find(&run, ROW_CONSTRUCT, "!$omp for", i == made->loop ? made->function : "others", "/src/a.c",
                       (uint32_t)((int)(10 * i + 10) + made->shift));
    run_row_add(row, RUN_TIME, loops[i]);
    run_row_add(row, RUN_EXECUTIONS, made->executions);
  }
  assert_true(vector_push(&runs->list, run));
}

static void make_runs(struct runs *runs, unsigned count, struct made made, uint64_t seed)
{
  uint64_t random = seed;
  for (unsigned i = 0; i < count; i++)
    make_run(runs, &made, &random);
}

static const struct compare_options options = {.level = 0.01, .worse = 5};

static struct comparison compared_of(struct runs *runs, size_t old)
{
  struct comparison comparison;
  assert_true(compare_runs(runs, old, &options, &comparison));
  return comparison;
}

/* The figure of the row that has this line now; NULL: it is not compared. */
static const struct compared *at_line(const struct comparison *comparison, uint32_t line, enum run_figure figure)
{
  for (size_t i = 0; i < comparison->list.count; i++)
    if (rows_latest(&comparison->rows, comparison->list.items[i].row)->line == line &&
        comparison->list.items[i].figure == figure)
      return &comparison->list.items[i];
  return NULL;
}

static void end(struct comparison *comparison, struct runs *runs)
{
  compare_free(comparison);
  runs_free(runs);
}

static void a_slower_loop_is_found(void **state)
{
  (void)state;
  struct runs runs = {0};
  struct made slower = usual;
  slower.factor = 1.1;
  make_runs(&runs, 10, usual, 1);
  make_runs(&runs, 10, slower, 2);
  struct comparison comparison = compared_of(&runs, 10);
  const struct compared *loop = at_line(&comparison, 30, RUN_RELATIVE);
  assert_int_equal(comparison.verdict, VERDICT_WORSE);
  assert_int_equal(loop->outcome, COMPARE_MORE);
  assert_true(loop->is_worse && loop->low < loop->shift && loop->shift < loop->high);
  assert_float_equal(compare_percent(loop, loop->shift), 10, 1);
  assert_float_equal(loop->of_run, 20.6, 0.5);
  /* All values of one group are above the other's: 1 / C(20, 10). Its part of the level is its part of the run, of
   * one half. */
  assert_float_equal(loop->p, 2. / 184756 * 100 / loop->of_run, 1e-6);
  for (uint32_t line = 10; line <= 50; line += 10)
    assert_true(line == 30 || at_line(&comparison, line, RUN_RELATIVE)->outcome == COMPARE_SAME);
  char *sentence = compare_sentence(&comparison);
  assert_non_null(strstr(sentence, "Worse: !$omp for @a.c:30: "));
  free(sentence);
  end(&comparison, &runs);
}

/* A machine that is as much slower one time as faster another time hides it in seconds, not beside the rest. */
static void a_slower_loop_is_found_on_an_uneven_machine(void **state)
{
  (void)state;
  struct runs runs = {0};
  uint64_t random = 5;
  for (unsigned i = 0; i < 20; i++) {
    struct made made = usual;
    made.speed = noisy(1, 0.3, &random);
    made.factor = i < 10 ? 1 : 1.1;
    make_run(&runs, &made, &random);
  }
  struct comparison comparison = compared_of(&runs, 10);
  assert_int_equal(at_line(&comparison, 30, RUN_TIME)->outcome, COMPARE_NOT_TESTED);
  assert_float_equal(
      compare_percent(at_line(&comparison, 30, RUN_RELATIVE), at_line(&comparison, 30, RUN_RELATIVE)->shift), 10, 1.5);
  assert_int_equal(at_line(&comparison, 10, RUN_RELATIVE)->outcome, COMPARE_SAME);
  assert_true(at_line(&comparison, 30, RUN_RELATIVE)->p <= options.level);
  end(&comparison, &runs);
}

/* One loop stays, all others take half of the time: it is no slower loop. */
static void what_stays_is_no_slower(void **state)
{
  (void)state;
  struct runs runs = {0};
  struct made faster = usual;
  faster.speed = 0.5;
  faster.factor = 2;
  make_runs(&runs, 10, usual, 1);
  make_runs(&runs, 10, faster, 2);
  struct comparison comparison = compared_of(&runs, 10);
  assert_int_equal(comparison.verdict, VERDICT_NO_WORSE);
  assert_int_equal(at_line(&comparison, 30, RUN_RELATIVE)->outcome, COMPARE_SAME);
  assert_true(at_line(&comparison, 10, RUN_TIME)->high < 0);
  end(&comparison, &runs);
}

/* It would decide the speed of the run alone, so its time is tested. */
static void a_dominant_loop_is_found(void **state)
{
  (void)state;
  struct runs runs = {0};
  struct made dominant = usual;
  dominant.factor = 10;
  make_runs(&runs, 10, dominant, 1);
  dominant.factor = 11;
  make_runs(&runs, 10, dominant, 2);
  struct comparison comparison = compared_of(&runs, 10);
  assert_null(at_line(&comparison, 30, RUN_RELATIVE));
  assert_int_equal(at_line(&comparison, 30, RUN_TIME)->outcome, COMPARE_MORE);
  assert_int_equal(comparison.verdict, VERDICT_WORSE);
  for (uint32_t line = 10; line <= 50; line += 10)
    assert_true(line == 30 || at_line(&comparison, line, RUN_RELATIVE)->outcome == COMPARE_SAME);
  end(&comparison, &runs);
}

static void few_runs_are_too_few(void **state)
{
  (void)state;
  static const struct {
    unsigned runs;
    enum compare_verdict verdict;
    unsigned needed;
  } cases[] = {{1, VERDICT_TOO_FEW, 6}, {3, VERDICT_TOO_FEW, 6}, {6, VERDICT_NO_WORSE, 0}};
  for (unsigned i = 0; i < 3; i++) {
    struct runs runs = {0};
    make_runs(&runs, cases[i].runs, usual, 1);
    make_runs(&runs, cases[i].runs, usual, 2);
    struct comparison comparison = compared_of(&runs, cases[i].runs);
    assert_int_equal(comparison.verdict, cases[i].verdict);
    assert_int_equal(comparison.needed, cases[i].needed); /* 1 / C(12, 6) is below 0.01 / 2 / 2 */
    /* 1 / C(14, 7) is below 0.01 / 2 / 5; six are enough if one loop sets the speed of both runs, and has no test */
    assert_true(comparison.rows_needed == 7 || (cases[i].runs == 1 && comparison.rows_needed == 6));
    end(&comparison, &runs);
  }
}

/* The interval of the run's time must exclude what is worse. */
static void much_noise_needs_more_runs(void **state)
{
  (void)state;
  struct runs runs = {0};
  struct made noise = usual;
  noise.noise = 0.6;
  make_runs(&runs, 8, noise, 1);
  make_runs(&runs, 8, noise, 2);
  struct comparison comparison = compared_of(&runs, 8);
  assert_int_equal(comparison.verdict, VERDICT_TOO_FEW);
  assert_true(comparison.needed > 8);
  end(&comparison, &runs);
}

static void numbers_need_no_test(void **state)
{
  (void)state;
  struct runs runs = {0};
  struct made more = usual;
  more.executions = 101;
  make_runs(&runs, 6, usual, 1);
  make_runs(&runs, 6, more, 2);
  struct comparison comparison = compared_of(&runs, 6);
  const struct compared *executions = at_line(&comparison, 30, RUN_EXECUTIONS);
  assert_true(executions->is_exact && isnan(executions->p));
  assert_int_equal(executions->outcome, COMPARE_MORE);
  assert_int_equal(comparison.verdict, VERDICT_NO_WORSE); /* numbers are no time */
  end(&comparison, &runs);
}

/* Comparisons of equal runs: at most the level finds anything slower. The machine may be uneven. */
static void equal_runs_are_seldom_different(void **state)
{
  (void)state;
  unsigned worse = 0, slower = 0, trials = 400;
  uint64_t random = 99;
  for (unsigned i = 0; i < trials; i++) {
    struct runs runs = {0};
    for (unsigned k = 0; k < 20; k++) {
      struct made made = usual;
      made.speed = noisy(1, 0.2, &random);
      made.noise = 0.1;
      make_run(&runs, &made, &random);
    }
    struct comparison comparison;
    assert_true(compare_runs(&runs, 10, &(struct compare_options){.level = 0.1, .worse = 1}, &comparison));
    worse += comparison.verdict == VERDICT_WORSE;
    bool any = false;
    for (size_t k = 0; k < comparison.list.count; k++)
      any |= comparison.list.items[k].outcome == COMPARE_MORE;
    slower += any;
    end(&comparison, &runs);
  }
  assert_true(slower <= trials * 0.13); /* 0.1, and 2 standard deviations */
  assert_true(worse <= slower);
}

static void edited_sources_are_matched(void **state)
{
  (void)state;
  struct runs runs = {0};
  struct made edited = usual;
  edited.shift = 7;
  edited.function = "renamed";
  make_runs(&runs, 1, usual, 1);
  make_runs(&runs, 1, edited, 1);
  struct comparison comparison = compared_of(&runs, 1);
  assert_int_equal(comparison.rows.list.count, LOOPS + 1);
  for (uint32_t line = 17; line <= 57; line += 10) {
    const struct compared *loop = at_line(&comparison, line, RUN_TIME);
    assert_float_equal(loop->shift, 0, 1e-12);
    assert_int_equal(rows_of_run(&comparison.rows, loop->row, 0)->line, line - 7);
  }
  assert_string_equal(compare_renamed(&comparison, at_line(&comparison, 37, RUN_TIME)->row)->function, "third");
  assert_null(compare_renamed(&comparison, at_line(&comparison, 17, RUN_TIME)->row));
  end(&comparison, &runs);
}

/* A loop is inserted before the others: texts say which one. */
static void texts_show_an_inserted_loop(void **state)
{
  (void)state;
  static const char *const texts[2][3] = {{"for-a", "for-b", NULL}, {"for-new", "for-a", "for-b"}};
  struct runs runs = {0};
  for (unsigned k = 0; k < 2; k++) {
    struct run_figures run = {.path = strdup("made"), .program = strdup("program"), .threads = 2};
    run_row_add(run_row_find(&run, ROW_RUN, "the run", NULL, NULL, 0), RUN_TIME, 3);
    for (unsigned i = 0; i < 3 && texts[k][i]; i++) {
      struct run_row *row = run_row_find(&run, ROW_CONSTRUCT, "!$omp for", "f", "/src/a.c", 10 * i + 10);
      run_row_add(row, RUN_TIME, 1);
      free(row->text);
      row->text = strdup(texts[k][i]);
    }
    assert_true(vector_push(&runs.list, run));
  }
  struct comparison comparison = compared_of(&runs, 1);
  assert_int_equal(at_line(&comparison, 10, RUN_TIME)->outcome, COMPARE_NEW);
  assert_int_equal(rows_of_run(&comparison.rows, at_line(&comparison, 20, RUN_TIME)->row, 0)->line, 10);
  assert_int_equal(rows_of_run(&comparison.rows, at_line(&comparison, 30, RUN_TIME)->row, 0)->line, 20);
  end(&comparison, &runs);
}

static void a_construct_that_did_not_occur_is_no_rename(void **state)
{
  (void)state;
  struct runs runs = {0};
  for (unsigned k = 0; k < 3; k++) {
    struct run_figures run = {.path = strdup("made"), .program = strdup("program"), .threads = 2};
    run_row_add(run_row_find(&run, ROW_RUN, "the run", NULL, NULL, 0), RUN_TIME, 3);
    run_row_add(run_row_find(&run, ROW_CONSTRUCT, "!$omp for", "f", "/src/a.c", 5), RUN_TIME, 1);
    run_row_add(run_row_find(&run, ROW_CONSTRUCT, "!$omp for", "g", "/src/a.c", 15), RUN_TIME, 1);
    run_row_add(
        run_row_find(&run, ROW_CAUSE, "imbalance at !$omp for", k == 1 ? "g" : "f", "/src/a.c", k == 1 ? 15 : 5),
        RUN_TIME, 1);
    assert_true(vector_push(&runs.list, run));
  }
  struct comparison comparison = compared_of(&runs, 1);
  assert_int_equal(comparison.rows.list.count, 5);
  end(&comparison, &runs);
}

static void a_change_is_found_at_its_run(void **state)
{
  (void)state;
  struct runs runs = {0};
  struct made slower = usual;
  slower.factor = 1.2;
  make_runs(&runs, 15, usual, 1);
  make_runs(&runs, 12, slower, 2);
  struct changes changes;
  assert_true(changes_find(&runs, &options, &changes));
  assert_int_equal(changes.verdict, VERDICT_WORSE);
  bool loop = false;
  for (size_t i = 0; i < changes.list.count; i++) {
    const struct change *change = &changes.list.items[i];
    bool here = change->compared.figure == RUN_RELATIVE && rows_latest(&changes.rows, change->compared.row)->line == 30;
    assert_int_equal(change->run, 15);
    assert_true(change->is_last);
    loop |= here && change->compared.is_worse;
    assert_true(rows_latest(&changes.rows, change->compared.row)->line % 50 != 10); /* not the first loop */
  }
  assert_true(loop);
  changes_free(&changes);
  runs_free(&runs);
}

static void a_steady_series_has_no_change(void **state)
{
  (void)state;
  struct runs runs = {0};
  make_runs(&runs, 30, usual, 1);
  struct changes changes;
  assert_true(changes_find(&runs, &options, &changes));
  assert_int_equal(changes.list.count, 0);
  assert_int_equal(changes.verdict, VERDICT_NO_WORSE);
  changes_free(&changes);
  runs_free(&runs);
}

static void a_file_has_the_same_runs(void **state)
{
  (void)state;
  char path[] = "/tmp/heddle-history-XXXXXX";
  struct runs runs = {0}, again = {0};
  struct error error;
  make_runs(&runs, 3, usual, 1);
  free(runs.list.items[1].rows.items[1].function);
  runs.list.items[1].rows.items[1].function = strdup("\xff\n\"");
  close(mkstemp(path));
  assert_true(runs_to_history(path, runs.list.items, 2, &error) &&
              runs_to_history(path, &runs.list.items[2], 1, &error));
  assert_true(runs_of_history(path, &again, &error));
  assert_int_equal(again.list.count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_true(run_is_same(&runs.list.items[i], &again.list.items[i]));
    for (size_t k = 0; k < LOOPS + 1; k++) {
      assert_string_equal(runs.list.items[i].rows.items[k].function, again.list.items[i].rows.items[k].function);
      assert_float_equal(runs.list.items[i].rows.items[k].values[RUN_TIME],
                         again.list.items[i].rows.items[k].values[RUN_TIME], 1e-12);
    }
  }
  runs_free(&runs);
  runs_free(&again);
  unlink(path);
}

static void a_damaged_file_is_an_error(void **state)
{
  (void)state;
  static const char *const lines[] = {
      "{",
      "[]",
      "{\"format\": \"heddle model\", \"version\": 1}",
      "{\"format\": \"heddle run\", \"version\": 9}",
      "{\"format\": \"heddle run\", \"version\": 1, \"began\": 0, \"threads\": 1}",
      "{\"format\": \"heddle run\", \"version\": 1, \"began\": 0, \"threads\": 1, \"rows\": []}",
      "{\"format\": \"heddle run\", \"version\": 1, \"began\": 0, \"threads\": 1, \"rows\": [{\"kind\": \"lock\"}]}",
      "{\"format\": \"heddle run\", \"version\": 1, \"began\": 0, \"threads\": 1, \"rows\": [{\"kind\": \"run\", "
      "\"line\": "
      "-1}]}"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    char path[] = "/tmp/heddle-history-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    fprintf(file, "\n%s\n", lines[i]);
    fclose(file);
    struct runs runs = {0};
    struct error error = {""};
    assert_false(runs_of_history(path, &runs, &error));
    assert_non_null(strstr(error.message, ":2: "));
    runs_free(&runs);
    unlink(path);
  }
}

UNIT_TEST(compare)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slower_loop_is_found),
      cmocka_unit_test(a_slower_loop_is_found_on_an_uneven_machine),
      cmocka_unit_test(what_stays_is_no_slower),
      cmocka_unit_test(a_dominant_loop_is_found),
      cmocka_unit_test(few_runs_are_too_few),
      cmocka_unit_test(much_noise_needs_more_runs),
      cmocka_unit_test(numbers_need_no_test),
      cmocka_unit_test(equal_runs_are_seldom_different),
      cmocka_unit_test(edited_sources_are_matched),
      cmocka_unit_test(texts_show_an_inserted_loop),
      cmocka_unit_test(a_construct_that_did_not_occur_is_no_rename),
      cmocka_unit_test(a_change_is_found_at_its_run),
      cmocka_unit_test(a_steady_series_has_no_change),
      cmocka_unit_test(a_file_has_the_same_runs),
      cmocka_unit_test(a_damaged_file_is_an_error),
  };
  return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
