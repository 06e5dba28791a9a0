/* Intervals as an archive: intervals that are open at the same time have locations of their own. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/intervals/plan.h"
#include "analyzer/exchange/import/intervals_archive.h"

#include <stdio.h>
#include <string.h>

struct scene {
  struct fixture *f;
  struct trace *trace;
  struct spec *spec;
  const char *directory;
};

static int set_up(void **state)
{
  static struct scene s;
  static const char text[] = "interval A [ lock -> unlock ] interval B [ lock -> unlock ]";
  struct error error;
  s = (struct scene){.f = fixture_create(), .spec = spec_parse("t", text, strlen(text), &error)};
  assert_true(s.spec && spec_check(s.spec, &error));
  uint32_t zero = fixture_location(s.f, "zero"), one = fixture_location(s.f, "one");
  fixture_lock(s.f, zero, 1, 7);
  fixture_unlock(s.f, zero, 2, 7);
  fixture_lock(s.f, one, 1, 8);
  fixture_unlock(s.f, one, 2, 8);
  s.directory = fixture_finish(s.f);
  s.trace = trace_open(s.directory, &error);
  assert_non_null(s.trace);
  *state = &s;
  return 0;
}

static int tear_down(void **state)
{
  struct scene *s = *state;
  trace_close(s->trace);
  spec_free(s->spec);
  fixture_destroy(s->f);
  return 0;
}

static void put(struct intervals_archive *archive, const struct spec_interval *interval, uint32_t from, uint64_t begin,
                uint64_t end)
{
  struct match_point start = {.time = begin, .thread = from}, last = {.time = end, .thread = 1};
  assert_true(intervals_archive_put(archive, interval, &start, &last));
}

static struct intervals_archive *open_archive(const struct scene *s, const char *name, char path[4096])
{
  struct error error;
  snprintf(path, 4096, "%s/%s", s->directory, name);
  struct intervals_archive *archive = intervals_archive_open(s->trace, s->spec, path, &error);
  assert_non_null(archive);
  return archive;
}

static void those_that_overlap_have_lanes(void **state)
{
  const struct scene *s = *state;
  const struct spec_interval *a = s->spec->intervals, *b = a->next;
  struct error error;
  char path[4096];
  struct intervals_archive *archive = open_archive(s, "intervals", path);
  put(archive, b, 0, 11, 12);
  put(archive, a, 1, 12, 13);
  put(archive, a, 0, 10, 20);
  put(archive, a, 0, 20, 20);
  put(archive, a, 0, 20, 30); /* the first lane is free again */
  put(archive, a, 0, 15, 40);
  assert_true(intervals_archive_close(archive, true, &error));
  struct trace *made = trace_open(path, &error);
  assert_non_null(made);
  static const char *const names[] = {"A: 0 zero", "A: 0 zero (2)", "A: 1 one", "B: 0 zero"};
  assert_int_equal(made->location_count, 4);
  for (uint32_t i = 0; i < 4; i++)
    assert_string_equal(made->locations[i].name, names[i]);
  trace_close(made);
}

/* In the order of their ends, intervals have as many lanes as are open at a time. */
static void lanes_are_as_many_as_are_open(void **state)
{
  const struct scene *s = *state;
  struct error error;
  char path[4096];
  uint32_t random = 1;
  struct intervals_archive *archive = open_archive(s, "least", path);
  enum { COUNT = 400, LONGEST = 60 };
  uint64_t begins[COUNT];
  unsigned most = 0;
  for (unsigned i = 0; i < COUNT; i++) {
    random = random * 1664525 + 1013904223;
    begins[i] = 100 + 3 * i - (random >> 8) % LONGEST;
    put(archive, s->spec->intervals, 0, begins[i], 100 + 3 * i);
  }
  for (uint64_t time = 0; time < 100 + 3 * COUNT; time++) {
    unsigned open = 0;
    for (unsigned i = 0; i < COUNT; i++)
      open += begins[i] <= time && time < 100 + 3 * i;
    most = open > most ? open : most;
  }
  assert_true(intervals_archive_close(archive, true, &error));
  struct trace *made = trace_open(path, &error);
  assert_non_null(made);
  assert_true(most > 5);
  assert_int_equal(made->location_count, most);
  trace_close(made);
}

static void too_many_at_a_time_are_refused(void **state)
{
  const struct scene *s = *state;
  struct error error;
  char path[4096];
  struct match_point start = {.time = 0}, end = {.time = 10000, .thread = 1};
  struct intervals_archive *archive = open_archive(s, "many", path);
  for (unsigned i = 0; i < INTERVALS_ARCHIVE_LANES; i++)
    put(archive, s->spec->intervals, 0, i, 10000);
  assert_false(intervals_archive_put(archive, s->spec->intervals, &start, &end));
  assert_false(intervals_archive_close(archive, false, &error));
  assert_non_null(strstr(error.message, "more than 256 intervals A of the thread 0 (zero)"));
  archive = open_archive(s, "many", path); /* nothing is left of it */
  for (unsigned i = 0; i < INTERVALS_ARCHIVE_LANES; i++)
    put(archive, s->spec->intervals, 0, i, 10000);
  assert_true(intervals_archive_close(archive, true, &error));
}

static void no_intervals_make_no_archive(void **state)
{
  const struct scene *s = *state;
  struct error error;
  char path[4096];
  assert_false(intervals_archive_close(open_archive(s, "none", path), true, &error));
  assert_non_null(strstr(error.message, "there are no intervals"));
  assert_null(trace_open(path, &error));
}

UNIT_TEST(intervals_archive)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(those_that_overlap_have_lanes, set_up, tear_down),
      cmocka_unit_test_setup_teardown(lanes_are_as_many_as_are_open, set_up, tear_down),
      cmocka_unit_test_setup_teardown(no_intervals_make_no_archive, set_up, tear_down),
      cmocka_unit_test_setup_teardown(too_many_at_a_time_are_refused, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
