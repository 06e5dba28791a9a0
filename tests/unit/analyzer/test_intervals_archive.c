/* Intervals as an archive: those that are open at a time have locations of their own. */
#include "tests/unit/analyzer/fixture.h"

#include "analyzer/import/intervals_archive.h"
#include "analyzer/intervals/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

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

static void put(struct intervals_taken *archive, const struct spec_interval *interval, uint32_t from, uint64_t begin,
                uint64_t end)
{
  struct match_point start = {.time = begin, .thread = from}, last = {.time = end, .thread = 1};
  assert_true(intervals_take(archive, interval, &start, &last));
}

static void those_that_overlap_have_lanes(void **state)
{
  const struct scene *s = *state;
  const struct spec_interval *a = s->spec->intervals, *b = a->next;
  struct intervals_taken archive = {0};
  struct error error;
  char path[4096];
  put(&archive, a, 0, 10, 20);
  put(&archive, a, 0, 15, 40);
  put(&archive, a, 0, 20, 30); /* the first lane is free again */
  put(&archive, a, 0, 20, 20);
  put(&archive, a, 1, 12, 13);
  put(&archive, b, 0, 11, 12);
  snprintf(path, sizeof path, "%s/intervals", s->directory);
  assert_true(intervals_archive_write(&archive, s->trace, s->spec, path, &error));
  vector_free(&archive.list);
  struct trace *made = trace_open(path, &error);
  assert_non_null(made);
  static const char *const names[] = {"A: 0 zero", "A: 0 zero (2)", "A: 1 one", "B: 0 zero"};
  assert_int_equal(made->location_count, 4);
  for (uint32_t i = 0; i < 4; i++)
    assert_string_equal(made->locations[i].name, names[i]);
  trace_close(made);
}

static void too_many_at_a_time_are_refused(void **state)
{
  const struct scene *s = *state;
  struct intervals_taken archive = {0};
  struct error error;
  char path[4096];
  for (unsigned i = 0; i <= INTERVALS_ARCHIVE_LANES; i++)
    put(&archive, s->spec->intervals, 0, i, 10000);
  snprintf(path, sizeof path, "%s/many", s->directory);
  assert_false(intervals_archive_write(&archive, s->trace, s->spec, path, &error));
  assert_non_null(strstr(error.message, "more than 256 intervals A of the thread 0 (zero)"));
  archive.list.count--;
  for (size_t i = 0; i < archive.list.count; i++)
    archive.list.items[i].lane = 0;
  assert_true(intervals_archive_write(&archive, s->trace, s->spec, path, &error));
  vector_free(&archive.list);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(those_that_overlap_have_lanes, set_up, tear_down),
      cmocka_unit_test_setup_teardown(too_many_at_a_time_are_refused, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
