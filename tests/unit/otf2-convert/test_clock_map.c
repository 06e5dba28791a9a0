/*
 * Times from the anchors of a counter. The property tests make up a counter that runs at changing rates, jumps and
 * stands still. They look at it as a recorder does, and compare the map's times with the true ones.
 */
#include "otf2-convert/plan/clock_map.h"
#include "tests/unit/unit.h"

#define GHZ2   2.0
#define MS     1000000ull
#define SECOND 1000000000ull

/* n anchors, a second apart, of a clock of 2 GHz; from the one `at` on its ticks are ahead by so many seconds. */
static struct clock_map map_of(size_t n, size_t at, double ahead)
{
  struct clock_map map = {.rate = 0};
  for (size_t i = 0; i < n; i++) {
    double ticks = ((double)(i + 50) + (i >= at ? ahead : 0)) * 1e9 * GHZ2;
    assert_true(clock_map_add(
        &map, (struct anchor){.ticks = (uint64_t)(int64_t)ticks, .monotonic_ns = (50 + i) * SECOND, .width = 100}));
  }
  assert_true(clock_map_finish(&map));
  return map;
}

static void a_clock_that_never_jumped(void **state)
{
  struct clock_map map = map_of(10, 10, 0);
  (void)state;
  assert_true(map.rate == GHZ2);
  assert_int_equal(map.jump_count, 0);
  assert_int_equal(map.apart, SECOND);
  assert_int_equal(map.width, 50);
  for (uint64_t ns = 45 * SECOND; ns < 65 * SECOND; ns += 123456789) { /* also outside of the anchors */
    assert_int_equal(clock_map_time(&map, 2 * ns), ns);
    assert_int_equal(clock_map_time_after(&map, 2 * ns, 0), ns);
    assert_int_equal(clock_map_time_before(&map, 2 * ns, UINT64_MAX / 2), ns);
    assert_in_range(clock_map_ticks(&map, ns), 2 * ns - 1, 2 * ns);
  }
  clock_map_free(&map);
}

static void suspended_for_an_hour(void **state)
{
  struct clock_map map = map_of(10, 4, 3600);
  (void)state;
  assert_true(map.rate == GHZ2);
  assert_int_equal(map.jump_count, 1);
  assert_int_equal(map.jumps[0].from, 53 * SECOND);
  assert_int_equal(map.jumps[0].to, 54 * SECOND);
  assert_in_range(map.jumps[0].ahead, 3600 * SECOND - 10, 3600 * SECOND + 10);
  assert_int_equal(clock_map_time(&map, 2 * 51 * SECOND + 2000), 51 * SECOND + 1000);
  assert_int_equal(clock_map_time(&map, 2 * 3655 * SECOND + 2000), 55 * SECOND + 1000);
  clock_map_free(&map);
}

/* Ticks come twice then; what a thread recorded before says which time is meant. */
static void a_clock_that_went_back(void **state)
{
  struct clock_map map = map_of(10, 4, -2);
  (void)state;
  assert_int_equal(map.jump_count, 1);
  assert_in_range(-map.jumps[0].ahead, 2 * SECOND - 10, 2 * SECOND + 10);
  assert_true(clock_map_is_broken(&map));
  uint64_t ticks = 2 * 52 * SECOND + SECOND; /* at 52.5 s, and again at 54.5 s */
  assert_int_equal(clock_map_time(&map, ticks), 52 * SECOND + 500 * MS);
  assert_int_equal(clock_map_time_after(&map, ticks, 51 * SECOND), 52 * SECOND + 500 * MS);
  assert_int_equal(clock_map_time_after(&map, ticks, 53 * SECOND), 54 * SECOND + 500 * MS);
  assert_int_equal(clock_map_time_before(&map, ticks, 59 * SECOND), 54 * SECOND + 500 * MS);
  assert_int_equal(clock_map_time_before(&map, ticks, 54 * SECOND), 52 * SECOND + 500 * MS);
  clock_map_free(&map);
}

/* A thread may lose its processor between the readings of an anchor. */
static void a_bad_reading_is_no_jump(void **state)
{
  struct clock_map map = {.rate = 0};
  (void)state;
  for (uint64_t i = 0; i < 100; i++)
    assert_true(clock_map_add(
        &map, (struct anchor){.ticks = 2 * (i * 100 * MS + (i == 50 ? 40 * MS : 0)), .monotonic_ns = i * 100 * MS}));
  assert_true(clock_map_finish(&map));
  assert_int_equal(map.jump_count, 0);
  assert_int_equal(clock_map_time(&map, 2 * 5050 * MS), 5050 * MS);
  clock_map_free(&map);
}

static void what_is_no_clock(void **state)
{
  static const struct anchor same[] = {{5, 5, 5, 0}, {5, 5, 5, 0}, {9, 5, 5, 0}},
                             far[] = {{0, 0, 0, 0}, {UINT64_MAX, 1, 0, 0}, {1, UINT64_MAX, 0, 0}},
                             still[] = {{7, 0, 0, 0}, {7, SECOND, 0, 0}};
  struct clock_map map = {.rate = 0};
  (void)state;
  assert_true(clock_map_finish(&map) && map.rate == 0);
  for (int i = 0; i < 3; i++)
    assert_true(clock_map_add(&map, same[i]));
  assert_true(clock_map_finish(&map) && map.rate == 0);
  clock_map_free(&map);
  for (int i = 0; i < 3; i++)
    assert_true(clock_map_add(&map, far[i]));
  assert_true(clock_map_finish(&map) && map.rate == 0);
  clock_map_free(&map);
  for (int i = 0; i < 2; i++)
    assert_true(clock_map_add(&map, still[i]));
  assert_true(clock_map_finish(&map) && map.rate == 0);
  clock_map_free(&map);
}

/* Any anchors: no crash, and times within a stretch do not decrease as ticks grow. */
static void hostile_anchors(void **state)
{
  uint64_t random = 88172645463325252ull;
  (void)state;
  for (int round = 0; round < 2000; round++) {
    struct clock_map map = {.rate = 0};
    uint64_t values[24], last = 0;
    for (int i = 0; i < 24; i++) {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      values[i] = random >> (random % 60);
    }
    for (int i = 0; i < 24; i += 2)
      assert_true(clock_map_add(&map, (struct anchor){.ticks = values[i], .monotonic_ns = values[i + 1], .width = i}));
    assert_true(clock_map_finish(&map));
    for (int i = 0; i < 64 && map.rate > 0; i++) {
      uint64_t time = clock_map_time(&map, (uint64_t)i << 57);
      clock_map_time_after(&map, values[i % 24], values[(i + 5) % 24]);
      clock_map_time_before(&map, values[i % 24], values[(i + 5) % 24]);
      clock_map_ticks(&map, values[i % 24]);
      if (map.stretches.count == 1 && i < 32) /* the other half is before the first anchor */
        assert_true(time >= last || map.anchors.items[0].ticks > 1ull << 62);
      last = time;
    }
    clock_map_free(&map);
  }
}

/* The made-up counter: from each event on, another rate, and so many ns ahead. */
struct event {
  uint64_t at; /* ns */
  double rate, ahead;
};

struct counter {
  struct event events[4];
  int count;
};

static uint64_t ticks_at(const struct counter *counter, uint64_t ns)
{
  double ticks = 1e15, rate = GHZ2;
  uint64_t since = 0;
  for (int i = 0; i < counter->count && counter->events[i].at <= ns; i++) {
    ticks += (double)(counter->events[i].at - since) * rate + counter->events[i].ahead * GHZ2;
    rate = counter->events[i].rate;
    since = counter->events[i].at;
  }
  return (uint64_t)(ticks + (double)(ns - since) * rate);
}

static uint64_t drawn;
static uint64_t draw(uint64_t most)
{
  drawn ^= drawn << 13, drawn ^= drawn >> 7, drawn ^= drawn << 17;
  return drawn % most;
}

/* The longest piece that an event lies in, or the one beside it: so wrong may a time be there. */
static uint64_t bound_at(const struct clock_map *map, const struct counter *counter, uint64_t ns)
{
  for (size_t i = 0; i + 1 < map->anchors.count; i++) {
    uint64_t from = map->anchors.items[i].monotonic_ns, to = map->anchors.items[i + 1].monotonic_ns;
    for (int k = 0; k < counter->count; k++)
      if (counter->events[k].at >= from && counter->events[k].at <= to && ns >= from && ns <= to)
        return to - from;
  }
  return 1000; /* the width of the readings, and rounding */
}

static void check_counter(const struct counter *counter, uint64_t apart, uint64_t end)
{
  struct clock_map map = {.rate = 0};
  for (uint64_t ns = 0; ns <= end; ns += apart / 2 + draw(apart))
    assert_true(clock_map_add(&map, (struct anchor){.ticks = ticks_at(counter, ns), .monotonic_ns = ns}));
  assert_true(clock_map_add(&map, (struct anchor){.ticks = ticks_at(counter, end), .monotonic_ns = end}));
  assert_true(clock_map_finish(&map));
  assert_true(map.rate > 0);
  uint64_t last = 0;
  for (uint64_t ns = draw(1000); ns < end; ns += 1 + draw(end / 1000)) { /* the records of a thread */
    uint64_t time = clock_map_time_after(&map, ticks_at(counter, ns), last);
    uint64_t wrong = time > ns ? time - ns : ns - time, bound = bound_at(&map, counter, ns);
    assert_true(time >= last);
    assert_true(wrong <= bound);
    last = time;
  }
  clock_map_free(&map);
}

static void jumps_both_ways(void **state)
{
  (void)state;
  drawn = 0x9e3779b97f4a7c15ull;
  for (int round = 0; round < 300; round++) {
    double ahead = (double)(5 * MS + draw(100 * SECOND)) * (draw(2) ? 1 : -1);
    struct counter counter = {.events = {{.at = SECOND + draw(8 * SECOND), .rate = GHZ2, .ahead = ahead}}, .count = 1};
    check_counter(&counter, 100 * MS, 10 * SECOND);
  }
}

static void several_jumps_and_rates(void **state)
{
  (void)state;
  drawn = 0x2545f4914f6cdd1dull;
  for (int round = 0; round < 300; round++) {
    struct counter counter = {.count = 3};
    uint64_t at = SECOND;
    for (int i = 0; i < counter.count; i++) {
      at += SECOND + draw(SECOND);
      counter.events[i] = (struct event){.at = at,
                                         .rate = GHZ2 * (0.5 + (double)draw(1000) / 1000),
                                         .ahead = draw(2) ? (double)(10 * SECOND + draw(SECOND)) : 0};
    }
    check_counter(&counter, 50 * MS, 10 * SECOND);
  }
}

/* A process that records little has two anchors: a jump is not seen, and no time is outside of them. */
static void two_anchors(void **state)
{
  struct clock_map map = map_of(2, 1, 60);
  (void)state;
  assert_int_equal(map.jump_count, 0);
  assert_int_equal(map.apart, SECOND); /* the bound, which is said */
  for (uint64_t ticks = 2 * 50 * SECOND; ticks <= 2 * 111 * SECOND; ticks += 2 * SECOND) {
    uint64_t time = clock_map_time(&map, ticks);
    assert_in_range(time, 50 * SECOND, 51 * SECOND);
  }
  clock_map_free(&map);
}

UNIT_TEST(clock_map)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_clock_that_never_jumped),
      cmocka_unit_test(suspended_for_an_hour),
      cmocka_unit_test(a_clock_that_went_back),
      cmocka_unit_test(a_bad_reading_is_no_jump),
      cmocka_unit_test(what_is_no_clock),
      cmocka_unit_test(hostile_anchors),
      cmocka_unit_test(jumps_both_ways),
      cmocka_unit_test(several_jumps_and_rates),
      cmocka_unit_test(two_anchors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
