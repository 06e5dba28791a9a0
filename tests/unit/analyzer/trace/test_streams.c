/*
 * Streams are closed between two readings, because the number of open ones is limited. They continue where they were:
 * with local references, a corrected clock, several chunks, and a batch that ends with the last event.
 */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/unit.h"

#include "analyzer/trace/stream.h"

#include <stdlib.h>
#include <string.h>

enum { LOCATIONS = 5, BATCH = 512, LONGEST = 60000 };

/* Events of each location; the longest takes more than one chunk of 256 KiB. */
static const uint32_t lengths[LOCATIONS] = {LONGEST, 2 * BATCH, 2, BATCH + 2, 0};

/* The events that a stream delivered. */
struct seen {
  struct error error;
  uint32_t count;
  uint64_t times[LONGEST];
  uint32_t regions[LONGEST];
};

static bool take(void *context, const struct trace_event *event)
{
  struct seen *seen = context;
  assert_true(seen->count < LONGEST);
  seen->times[seen->count] = event->time;
  seen->regions[seen->count++] = event->index;
  return true;
}

static struct fixture *make_archive(void)
{
  struct fixture *fixture = fixture_create();
  uint32_t regions[2], swapped[2];
  for (unsigned i = 0; i < 2; i++)
    regions[i] = fixture_openmp(fixture, i ? "b" : "a", OTF2_REGION_ROLE_FUNCTION);
  swapped[regions[0]] = regions[1];
  swapped[regions[1]] = regions[0];
  for (unsigned i = 0; i < LOCATIONS; i++) {
    uint32_t location = fixture_location(fixture, "thread");
    for (uint32_t k = 0; k < lengths[i] / 2; k++) {
      fixture_enter(fixture, location, 100 + 7 * k, regions[k % 2]);
      fixture_leave(fixture, location, 103 + 7 * k + i, regions[k % 2]);
    }
    if (i == 0) {
      fixture_map_regions(fixture, location, swapped, 2);
      fixture_clock_offset(fixture, location, 1000);
    }
  }
  return fixture;
}

/* Reads all locations in turn, a batch at a time, with at most so many open streams. */
static void read_in_turn(const struct trace *trace, unsigned limit, struct seen *seen)
{
  struct trace_stream *streams[LOCATIONS];
  bool more = true;
  open_streams_limit(limit);
  memset(seen, 0, LOCATIONS * sizeof *seen);
  for (unsigned i = 0; i < LOCATIONS; i++) {
    streams[i] = trace_stream_open(trace, i, take, &seen[i], &seen[i].error);
    assert_non_null(streams[i]);
  }
  while (more) {
    more = false;
    for (unsigned i = 0; i < LOCATIONS; i++) {
      uint64_t read;
      assert_true(trace_stream_read(streams[i], BATCH, &read));
      more |= read > 0;
    }
  }
  for (unsigned i = 0; i < LOCATIONS; i++)
    trace_stream_close(streams[i]);
  open_streams_limit(0);
}

static void any_number_may_be_open(void **state)
{
  (void)state;
  struct fixture *fixture = make_archive();
  struct error error;
  struct trace *trace = trace_open(fixture_finish(fixture), &error);
  struct seen *all = calloc(LOCATIONS, sizeof *all), *few = calloc(LOCATIONS, sizeof *few);
  assert_non_null(trace);
  assert_true(all && few);
  read_in_turn(trace, LOCATIONS, all);
  assert_int_equal(all[0].times[0], all[1].times[0] + 1000);
  assert_int_not_equal(all[0].regions[0], all[1].regions[0]);
  for (unsigned limit = 1; limit < LOCATIONS; limit++) {
    read_in_turn(trace, limit, few);
    for (unsigned i = 0; i < LOCATIONS; i++) {
      assert_int_equal(all[i].count, lengths[i]);
      assert_memory_equal(&few[i], &all[i], sizeof *all);
    }
  }
  free(all);
  free(few);
  trace_close(trace);
  fixture_destroy(fixture);
}

static void a_stream_may_be_closed_at_any_time(void **state)
{
  (void)state;
  struct fixture *fixture = make_archive();
  struct error error;
  struct trace *trace = trace_open(fixture_finish(fixture), &error);
  struct seen *seen = calloc(3, sizeof *seen);
  struct trace_stream *streams[3];
  uint64_t read;
  assert_non_null(trace);
  assert_non_null(seen);
  open_streams_limit(2);
  for (unsigned i = 0; i < 3; i++) {
    streams[i] = trace_stream_open(trace, i, take, &seen[i], &seen[i].error);
    assert_true(trace_stream_read(streams[i], 1, &read));
  }
  trace_stream_close(streams[1]); /* closed in favour of the third */
  trace_stream_close(streams[2]); /* open, and read last */
  assert_true(trace_stream_read(streams[0], LONGEST, &read));
  assert_int_equal(read, LONGEST - 1);
  trace_stream_close(streams[0]);
  open_streams_limit(0);
  free(seen);
  trace_close(trace);
  fixture_destroy(fixture);
}

UNIT_TEST(streams)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_may_be_open),
      cmocka_unit_test(a_stream_may_be_closed_at_any_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
