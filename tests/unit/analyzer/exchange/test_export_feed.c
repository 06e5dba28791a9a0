/* How exports get their items: in the promised order, the same however much is read ahead, each event decoded once. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/unit.h"

#include "analyzer/exchange/export/export.h"
#include "analyzer/exchange/export/feed.h"
#include "analyzer/trace/restriction.h"
#include "analyzer/trace/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 300, LONG_ROUNDS = 9000 };

struct regions {
  uint32_t parallel, loop, chunk, critical, barrier, wait, user;
};

static struct {
  struct fixture *fixture;
  const char *directory;
  struct trace *trace;
} archive;

static uint32_t random_below(uint32_t limit)
{
  static uint64_t state = 1;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % limit;
}

/* Threads meet at each round's begin and end; in between their times are often the same. */
static void add_round(struct fixture *fixture, uint32_t thread, uint64_t time, const struct regions *regions)
{
  uint64_t at = time + random_below(3);
  fixture_enter(fixture, thread, at, regions->loop);
  for (uint32_t i = random_below(4); i > 0; i--) {
    fixture_chunk(fixture, thread, at += random_below(3), regions->chunk, 1 + i, 1);
    for (uint32_t k = random_below(9); k > 0; k--) {
      fixture_enter(fixture, thread, at += random_below(2), regions->user);
      fixture_leave(fixture, thread, at += random_below(2), regions->user);
    }
    fixture_enter(fixture, thread, at += random_below(3), regions->critical);
    fixture_lock(fixture, thread, at += random_below(3), 7);
    fixture_unlock(fixture, thread, at += random_below(3), 7);
    fixture_leave(fixture, thread, at, regions->critical);
    fixture_leave(fixture, thread, at += random_below(3), regions->chunk);
  }
  fixture_leave(fixture, thread, at, regions->loop);
  fixture_enter(fixture, thread, at += random_below(3), regions->barrier);
  fixture_enter(fixture, thread, at += random_below(3), regions->wait);
  fixture_leave(fixture, thread, time + 95, regions->wait);
  fixture_leave(fixture, thread, time + 95 + random_below(2), regions->barrier);
}

/* Short states, then a long one in which much is called. */
static void add_thread(struct fixture *fixture, uint32_t thread, uint32_t team, const struct regions *regions)
{
  uint64_t time = 1 + random_below(2);
  fixture_enter(fixture, thread, time, regions->parallel);
  fixture_team_begin(fixture, thread, time, team);
  for (unsigned i = 0; i < ROUNDS; i++)
    add_round(fixture, thread, time = 10 + 100 * i, regions);
  fixture_team_end(fixture, thread, time += 97, team);
  fixture_leave(fixture, thread, time, regions->parallel);
  for (unsigned i = 0; i < LONG_ROUNDS; i++) {
    fixture_enter(fixture, thread, time += 1, regions->user);
    fixture_leave(fixture, thread, time += 1, regions->user);
  }
}

static int make_archive(void **state)
{
  struct fixture *fixture = fixture_create();
  struct regions regions = {
      .parallel = fixture_openmp(fixture, "!$omp parallel @a.c:1", OTF2_REGION_ROLE_PARALLEL),
      .loop = fixture_openmp(fixture, "!$omp for @a.c:2", OTF2_REGION_ROLE_LOOP),
      .chunk = fixture_openmp(fixture, "!$omp for chunk", OTF2_REGION_ROLE_LOOP),
      .critical = fixture_openmp(fixture, "!$omp critical @a.c:3", OTF2_REGION_ROLE_CRITICAL),
      .barrier = fixture_openmp(fixture, "!$omp implicit barrier @a.c:2", OTF2_REGION_ROLE_IMPLICIT_BARRIER),
      .wait = fixture_openmp(fixture, "!$omp implicit barrier wait @a.c:2", OTF2_REGION_ROLE_IMPLICIT_BARRIER),
      .user = fixture_region(fixture, "user", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 0)};
  uint32_t threads[THREADS];
  for (unsigned i = 0; i < THREADS; i++)
    threads[i] = fixture_location(fixture, "thread");
  uint32_t team = fixture_team(fixture, threads, THREADS);
  for (unsigned i = 0; i < THREADS; i++)
    add_thread(fixture, threads[i], team, &regions);
  struct error error = {""};
  archive.fixture = fixture;
  archive.directory = fixture_finish(fixture);
  archive.trace = trace_open(archive.directory, &error);
  (void)state;
  return archive.trace ? 0 : -1;
}

static int remove_archive(void **state)
{
  trace_close(archive.trace);
  fixture_destroy(archive.fixture);
  (void)state;
  return 0;
}

static uint64_t events_of_archive(void)
{
  uint64_t events = 0;
  for (uint32_t i = 0; i < archive.trace->location_count; i++)
    events += archive.trace->locations[i].events;
  return events;
}

static void path_of(char path[128], const char *name, enum export_format format)
{
  snprintf(path, 128, "%s/%s%s", archive.directory, name, export_kinds[format].suffix);
}

static void write_as(const char *name, enum export_format format)
{
  char path[128];
  struct error error = {""};
  path_of(path, name, format);
  if (!export_kinds[format].write(archive.trace, path, &error))
    fail_msg("%s: %s", path, error.message);
}

/* The caller frees it. */
static char *read_file(const char *path, size_t size)
{
  FILE *file = fopen(path, "r");
  char *bytes = malloc(size);
  assert_true(file && bytes && fread(bytes, 1, size, file) == size);
  fclose(file);
  return bytes;
}

static void expect_same(const char *left_path, const char *right_path)
{
  struct stat left_status, right_status;
  assert_int_equal(stat(left_path, &left_status), 0);
  assert_int_equal(stat(right_path, &right_status), 0);
  size_t size = (size_t)left_status.st_size, right_size = (size_t)right_status.st_size;
  char *left = read_file(left_path, size), *right = read_file(right_path, right_size);
  if (size != right_size || memcmp(left, right, size) != 0)
    fail_msg("%s and %s differ", left_path, right_path);
  free(left);
  free(right);
}

static void expect_the_same_whatever_the_limit(void)
{
  static const size_t limits[] = {0, 1, 3, 50};
  for (enum export_format format = 0; format < EXPORT_OF_EVENTS; format++) {
    char usual[128], path[128];
    path_of(usual, "usual", format);
    path_of(path, "limited", format);
    write_as("usual", format);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
      feed_limit(limits[i]);
      write_as("limited", format);
      feed_limit(SIZE_MAX);
      expect_same(usual, path);
    }
  }
}

static void the_same_however_much_is_read_ahead(void **state)
{
  (void)state;
  expect_the_same_whatever_the_limit();
}

static void restrict_to(uint64_t from, uint64_t to)
{
  archive.trace->restriction = (struct trace_restriction){0};
  for (uint32_t i = 0; i < archive.trace->location_count; i++)
    archive.trace->locations[i].excluded = false;
  if (to > 0)
    trace_restrict_time(archive.trace, from, to);
}

/* Borders between events, at events, in the long state, and behind all. */
static void parts_are_the_same_however_much_is_read_ahead(void **state)
{
  static const uint64_t borders[][2] = {{0, 700},       {333, 1234},    {10, 105},
                                        {29000, 35000}, {40000, 40500}, {35000, UINT64_MAX}};
  (void)state;
  for (size_t i = 0; i < sizeof borders / sizeof *borders; i++) {
    restrict_to(borders[i][0], borders[i][1]);
    if (i % 2)
      trace_exclude(archive.trace, 1);
    expect_the_same_whatever_the_limit();
  }
  restrict_to(0, 0);
}

/* The long state makes Paraver's states be read ahead, as Paje's are by a limit; the others need no ends. */
static void decoded_once_or_twice(void **state)
{
  static const unsigned readings[EXPORT_OF_EVENTS] = {
      [EXPORT_PARAVER] = 2, [EXPORT_PERFETTO] = 1, [EXPORT_CHROME] = 1, [EXPORT_PAJE] = 1, [EXPORT_CSV] = 1};
  uint64_t events = events_of_archive();
  (void)state;
  for (enum export_format format = 0; format < EXPORT_OF_EVENTS; format++) {
    uint64_t before = reading_cost_so_far().events;
    write_as("usual", format);
    uint64_t decoded = reading_cost_so_far().events - before, first = format == EXPORT_CSV ? 256 * THREADS : 0;
    assert_true(decoded >= events && decoded > (readings[format] - 1) * events);
    assert_true(decoded <= readings[format] * events + first);
    feed_limit(0);
    before = reading_cost_so_far().events;
    write_as("limited", format);
    feed_limit(SIZE_MAX);
    assert_true(reading_cost_so_far().events - before <= 2 * events);
  }
}

/* Behind the part no event is decoded but the few that a batch has. */
static void parts_are_decoded_twice_at_most(void **state)
{
  uint64_t events = events_of_archive();
  (void)state;
  for (enum export_format format = 0; format < EXPORT_OF_EVENTS; format++) {
    restrict_to(20000, 34000);
    uint64_t before = reading_cost_so_far().events;
    write_as("part", format);
    assert_true(reading_cost_so_far().events - before <= 2 * events);
    restrict_to(0, 105);
    before = reading_cost_so_far().events;
    write_as("part", format);
    assert_true(reading_cost_so_far().events - before < events / 10);
    restrict_to(0, 0);
  }
}

struct order {
  uint64_t time, items;
  unsigned rank; /* of what came last at this time */
  uint32_t location;
};

static bool begin_order(void *context, const struct feed *feed)
{
  (void)context;
  uint64_t time;
  for (uint32_t i = 0; i < THREADS; i++)
    assert_true(feed_begin(feed, i, &time) && time >= 1 && time <= 2);
  assert_int_equal(feed_clock(feed).ticks_per_second, FIXTURE_TICKS);
  return true;
}

/* BEGIN and STATE of all threads, their events, their ENDs; each time by thread. */
static bool take_in_order(void *context, uint32_t location, const struct item *item)
{
  struct order *order = context;
  unsigned rank = item->kind == ITEM_END ? 2 : item->kind > ITEM_END;
  assert_true(item->time >= order->time);
  if (item->time == order->time)
    assert_true(rank > order->rank || (rank == order->rank && location >= order->location));
  *order = (struct order){item->time, order->items + 1, rank, location};
  return true;
}

static void items_are_in_order(void **state)
{
  static const struct feed_callbacks takers[] = {{BY_STATE, false, begin_order, take_in_order, NULL, NULL},
                                                 {BY_CONSTRUCT, true, begin_order, take_in_order, NULL, NULL}};
  (void)state;
  for (unsigned i = 0; i < 4; i++) {
    struct order order = {0};
    struct error error;
    feed_limit(i < 2 ? SIZE_MAX : 2);
    assert_true(feed_run(archive.trace, &takers[i % 2], &order, &error));
    feed_limit(SIZE_MAX);
    assert_true(order.items > THREADS * (size_t)LONG_ROUNDS);
  }
}

static bool take_ten(void *context, uint32_t location, const struct item *item)
{
  struct order *order = context;
  (void)location;
  (void)item;
  return ++order->items < 10;
}

static void who_wants_no_more_gets_no_more(void **state)
{
  static const struct feed_callbacks callbacks = {BY_STATE, false, begin_order, take_ten, NULL, NULL};
  struct order order = {0};
  struct error error;
  (void)state;
  assert_true(feed_run(archive.trace, &callbacks, &order, &error));
  assert_int_equal(order.items, 10);
}

/* If the archive says that all had ended earlier, Paraver's first line has the time of this end, in a file and in a
 * pipe. */
static void the_first_line_is_put_right(void **state)
{
  char right[128], late[128], copy[128];
  uint64_t length = archive.trace->length;
  (void)state;
  path_of(right, "usual", EXPORT_PARAVER);
  path_of(late, "late", EXPORT_PARAVER);
  path_of(copy, "copy", EXPORT_PARAVER);
  write_as("usual", EXPORT_PARAVER);
  for (unsigned digits = 0; digits < 3; digits++) {
    archive.trace->length = digits == 2 ? length - 1 : digits;
    write_as("late", EXPORT_PARAVER);
    expect_same(right, late);
  }
  unlink(late);
  assert_int_equal(mkfifo(late, 0600), 0);
  pid_t reader = fork();
  if (reader == 0) {
    execlp("cp", "cp", "--copy-contents", late, copy, (char *)NULL);
    _exit(1);
  }
  write_as("late", EXPORT_PARAVER);
  archive.trace->length = length;
  int status;
  assert_int_equal(waitpid(reader, &status, 0), reader);
  assert_int_equal(status, 0);
  expect_same(right, copy);
}

UNIT_TEST(export_feed)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_however_much_is_read_ahead),
      cmocka_unit_test(parts_are_the_same_however_much_is_read_ahead),
      cmocka_unit_test(decoded_once_or_twice),
      cmocka_unit_test(parts_are_decoded_twice_at_most),
      cmocka_unit_test(items_are_in_order),
      cmocka_unit_test(who_wants_no_more_gets_no_more),
      cmocka_unit_test(the_first_line_is_put_right),
  };
  return cmocka_run_group_tests(tests, make_archive, remove_archive);
}
