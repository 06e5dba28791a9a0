/*
 * Models of a run's phases, one after another: exact small cases, their files, and populations whose truth is known.
 * Runs of the series pass at the stated level, others are found. With an argument: so many seeds.
 */
#include "analyzer/models/markov/statistics.h"
#include "tests/unit/analyzer/example.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long seeds = 3;
static const struct markov_options usual = {MARKOV_DROP, MARKOV_RESTART, false};
static const struct markov_validate_options rules = {
    .level = .05, .tolerance = .05, .unseen = .25, .seed = 1, .replications = 199};

/* Phases that somebody else has found: up to, but without, these records. */
static struct markov_series *series_of(struct pes_stream *stream, const uint64_t *untils, uint32_t count,
                                       unsigned order)
{
  struct markov_phase list[MARKOV_SERIES_MOST] = {0};
  struct markov_phases phases = {.list = list, .count = count};
  struct error error = {{0}};
  for (uint32_t i = 0; i < count; i++) {
    list[i].first = i > 0 ? untils[i - 1] : 0;
    list[i].records = untils[i] - list[i].first;
  }
  struct markov_series *series = markov_series_of(stream, &phases, &usual, order, &error);
  if (!series)
    fail_msg("%s", error.message);
  assert_int_equal(series->count, count);
  return series;
}

/* A B A B A | C C B C: with durations 1 to 9. */
static struct pes_stream *small(void)
{
  static const uint64_t ticks[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  return example_letters(3, "ABABACCBC", ticks, 'A');
}

static const uint64_t small_ends[] = {5, 9};

static void counts_are_those_of_each_phase(void **state)
{
  (void)state;
  struct pes_stream *stream = small();
  struct markov_series *series = series_of(stream, small_ends, 2, 1);
  const struct markov_model *one = series->models[0], *two = series->models[1];
  uint32_t a = example_find(one, "A"), b = example_find(one, "B"), c = example_find(two, "C");
  assert_true(one->records == 5 && one->duration == 15 && two->records == 4 && two->duration == 30);
  assert_true(markov_series_records(series) == 9 && markov_series_duration(series) == 45);
  /* None of the transitions A B, B A, A B, B A | C C, C B, B C goes from one phase to the other. */
  assert_true(one->edge_count == 2 && one->list[a].left == 2 && one->list[b].left == 2 && one->list[a].starts == 1);
  assert_true(two->edge_count == 3 && two->list[c].left == 2 && two->list[c].starts == 1 && two->list[a].left == 0);
  assert_true(one->list[a].ends == 1 && two->list[c].ends == 1);
  assert_true(one->list[a].terminals == 0 && two->list[a].terminals == 1);
  assert_true(one->list[a].occupancy.total == 1 + 3 + 5 && two->list[b].occupancy.total == 8);
  markov_series_free(series);
  pes_close(stream);
}

static char *written(const struct markov_series *series, size_t *size)
{
  char path[] = "/tmp/heddle-model-XXXXXX";
  struct error error = {{0}};
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  if (!markov_write(series, path, &error))
    fail_msg("%s", error.message);
  close(fd);
  FILE *file = fopen(path, "r"); /* another one of that name */
  assert_non_null(file);
  char *text = calloc(1, 1 << 16);
  assert_non_null(text);
  *size = fread(text, 1, (1 << 16) - 1, file);
  fclose(file);
  remove(path);
  return text;
}

static void refused(const char *good, const char *what, const char *with, const char *message)
{
  struct error error = {{0}};
  const char *at = strstr(good, what);
  if (!at)
    fail_msg("%s is not in the model", what);
  char *text = calloc(1, strlen(good) + strlen(with) + 1);
  assert_non_null(text);
  memcpy(text, good, (size_t)(at - good));
  strcat(strcat(text, with), at + strlen(what));
  struct markov_series *series = markov_read_bytes(text, strlen(text), "file", &error);
  if (series || !strstr(error.message, message))
    fail_msg("with %s for %s: %s", with, what, series ? "no error" : error.message);
  free(text);
}

static void files(void **state)
{
  (void)state;
  for (unsigned order = 1; order <= 2; order++) {
    struct error error = {{0}};
    struct pes_stream *stream = small();
    struct markov_series *series = series_of(stream, small_ends, 2, order);
    size_t size, again_size;
    char *text = written(series, &size);
    assert_non_null(strstr(text, "\"version\":2"));
    struct markov_series *again = markov_read_bytes(text, size, "file", &error);
    if (!again)
      fail_msg("%s", error.message);
    char *again_text = written(again, &again_size);
    assert_string_equal(text, again_text);
    assert_true(again->count == 2 && again->models[1]->records == 4);
    for (size_t cut = 0; cut + 2 < size; cut++)
      assert_null(markov_read_bytes(text, cut, "file", &error));
    free(text);
    free(again_text);
    markov_series_free(series);
    markov_series_free(again);
    pes_close(stream);
  }
}

static void damaged_files(void **state)
{
  (void)state;
  struct pes_stream *stream = small();
  struct markov_series *series = series_of(stream, small_ends, 2, 1);
  size_t size;
  char *text = written(series, &size);
  refused(text, "\"version\":2", "\"version\":1", "only version 2 has phases");
  refused(text, "\"phases\":[", "\"phases\":[],\"more\":[", "not a list of 1 to 64");
  refused(text, "\"phases\":[", "\"phases\":1,\"more\":[", "not a list of 1 to 64");
  refused(text, "\"phases\":[", "\"phases\":[[],", "states is not a list");
  refused(text, "\"phases\":[", "\"phases\":[null,", "states is not a list");
  refused(text, "\"records\":5", "\"records\":4", "don't add up");
  refused(text, "\"records\":4", "\"records\":5", "don't add up");
  refused(text, "\"duration\":30", "\"duration\":-1", "duration");
  refused(text, "null]}", "null,null]}", "one element a state"); /* C in the first phase */
  refused(text, "null]}", "1]}", "not a list");
  refused(text, "\"starts\":1", "\"starts\":0", "don't fit its occurrences");
  refused(text, "\"next\":[[1,2]]", "\"next\":[[3,2]]", "out of range");
  free(text);
  markov_series_free(series);
  pes_close(stream);
}

/* Too many phases, and states enough for a table that needs more memory than the file is long. */
static void large_files_are_refused(void **state)
{
  (void)state;
  static const char head[] = "{\"format\":\"heddle model\",\"version\":2,\"terminal\":\"drop\",\"ends\":\"stay\","
                             "\"deviation\":\"sample\",\"program\":{\"name\":\"p\",\"ticks_per_second\":0,"
                             "\"parameters\":[],\"sets\":[],\"components\":[]},\"states\":[";
  static const char kind[] = "{\"kind\":\"pattern\",\"name\":\"\",\"sequences\":[],\"other_sequences\":0}";
  for (int many = 0; many < 2; many++) {
    struct error error = {{0}};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    fputs(head, file);
    for (int i = 0; i < (many ? 66000 : 1); i++)
      fprintf(file, "%s%s", i > 0 ? "," : "", kind);
    fputs("],\"phases\":[0", file);
    for (int i = 1; i < (many ? 64 : 65); i++)
      fputs(",0", file);
    fputs("]}", file);
    fclose(file);
    assert_null(markov_read_bytes(text, size, "file", &error));
    if (!strstr(error.message, many ? "states and values in all phases" : "not a list of 1 to 64"))
      fail_msg("%s", error.message);
    free(text);
  }
}

/* Each phase has its part of the records and of the ticks, and its own states. */
static void simulated_runs_have_the_phases(void **state)
{
  (void)state;
  static const uint64_t ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  struct error error = {{0}};
  struct pes_stream *stream = example_letters(3, "ABABACCCC", ones, 0);
  struct markov_series *series = series_of(stream, small_ends, 2, 1);
  for (int by_time = 0; by_time < 2; by_time++) {
    struct markov_simulation wanted = {.seed = 7, .ticks = UINT64_MAX, .records = UINT64_MAX};
    *(by_time ? &wanted.ticks : &wanted.records) = 9000;
    struct pes_stream *run = markov_series_simulate(series, &wanted, &error);
    assert_non_null(run);
    struct markov_model *model = example_model(run, &usual);
    assert_true(model->records == 9000 && model->duration == 9000);
    uint32_t a = example_find(model, "A"), b = example_find(model, "B"), c = example_find(model, "C");
    assert_true(model->list[a].occupancy.count == 2500 && model->list[b].occupancy.count == 2500);
    assert_true(model->list[c].occupancy.count == 4000);
    assert_true(model->edge_count == 4 && model->edges[markov_edge_index(model, b, c)].count == 1);
    markov_model_free(model);
  }
  markov_series_free(series);
  pes_close(stream);
}

/* 1,000 steps: in the last `late` ones B lasts longer and is skipped less often. */
static struct pes_stream *steps(uint64_t seed, unsigned late)
{
  enum { STEPS = 1000 };
  struct markov_random random;
  char letters[3 * STEPS + 1];
  uint64_t ticks[3 * STEPS + 1];
  size_t count = 0;
  markov_random_seed(&random, seed);
  for (unsigned i = 0; i < STEPS; i++) {
    bool is_late = i >= STEPS - late;
    letters[count] = 'A';
    ticks[count++] = 100 + markov_random_below(&random, 50);
    if (markov_random_below(&random, 10) < (is_late ? 9u : 6u)) {
      letters[count] = 'B';
      ticks[count++] = (is_late ? 200 : 20) + markov_random_below(&random, 30);
    }
    letters[count] = 'C';
    ticks[count++] = 10 + markov_random_below(&random, 10);
  }
  letters[count] = 0;
  return example_letters(3, letters, ticks, 0);
}

static struct markov_series *found_series(struct pes_stream *stream, struct markov_phases **phases)
{
  struct error error = {{0}};
  *phases = markov_phases_find(stream, &markov_change_usual, &error);
  assert_non_null(*phases);
  struct markov_series *series = markov_series_of(stream, *phases, &usual, 1, &error);
  assert_non_null(series);
  return series;
}

static bool is_refused(struct markov_series *series, struct pes_stream *run)
{
  struct error error = {{0}};
  struct markov_comparison *comparison = markov_series_compare(series, run, &rules, &error);
  if (!comparison)
    fail_msg("%s", error.message);
  bool differs = false;
  for (uint32_t i = 0; i < comparison->count; i++) {
    const struct markov_validation *validation = comparison->list[i].validation;
    for (int k = 0; validation && k < MARKOV_QUESTIONS; k++)
      differs |= validation->tests[k].outcome == MARKOV_DIFFERS;
    differs |= !validation;
  }
  markov_comparison_free(comparison);
  pes_close(run);
  return differs;
}

static void print_rate(const char *what, unsigned long seen, unsigned long of, const char *stated)
{
  printf("%s: %lu of %lu (stated: %s)\n", what, seen, of, stated);
}

/* As many of `seeds` trials as have a probability of at least 1/10,000 if each has probability p: 3.7 deviations. */
static double slack(double p)
{
  return 3.7 * sqrt((double)seeds * p * (1 - p)) + 1.5;
}

/* Runs of two phases: models of one, compared with another one; with a run that lacks a phase; a single model. */
static void runs_of_the_series_pass(void **state)
{
  (void)state;
  unsigned long two = 0, alarms = 0, lacking = 0, single = 0;
  for (unsigned long seed = 1; seed <= seeds; seed++) {
    struct markov_phases *phases;
    struct pes_stream *stream = steps(2 * seed, 500);
    struct markov_series *series = found_series(stream, &phases);
    struct markov_series whole = {.models = {example_model(stream, &usual)}, .count = 1};
    two += phases->count == 2;
    if (phases->count == 2) {
      alarms += is_refused(series, steps(2 * seed + 1, 400));
      lacking += is_refused(series, steps(2 * seed + 1, 0));
    }
    single += is_refused(&whole, steps(2 * seed + 1, 500));
    markov_phases_free(phases);
    markov_series_free(series);
    markov_model_free(whole.models[0]);
  }
  print_rate("phases: both are found, and no third", two, seeds, "at least 90 %");
  print_rate("series: a run of it is refused", alarms, two, "at most 5 %");
  print_rate("series: a run without phase 2 is refused", lacking, two, "at least 95 %");
  print_rate("one model for both phases is refused", single, seeds, "at least 95 %");
  assert_true((double)two >= .9 * (double)seeds - slack(.9));
  assert_true((double)alarms <= .05 * (double)seeds + slack(.05));
  assert_true((double)lacking >= .95 * (double)two - slack(.95));
  assert_true((double)single >= .95 * (double)seeds - slack(.95));
}

UNIT_TEST(markov_series)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_are_those_of_each_phase),
      cmocka_unit_test(files),
      cmocka_unit_test(damaged_files),
      cmocka_unit_test(large_files_are_refused),
      cmocka_unit_test(simulated_runs_have_the_phases),
      cmocka_unit_test(runs_of_the_series_pass),
  };
  if (argc > 1)
    seeds = strtoul(argv[1], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
