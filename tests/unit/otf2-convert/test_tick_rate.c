/* What anchors show about a clock: its frequency, and its jump while the machine was suspended. */
#include "otf2-convert/tick_rate.h"
#include "tests/unit/unit.h"

#define SECOND 1000000000ull
#define GHZ2   2000000000.0 /* the clock of these tests */

/* n anchors, a second apart, of a clock of 2 GHz; from the one `at` on its ticks are ahead by so many seconds. */
static void fill(struct anchor *anchors, size_t n, size_t at, double ahead)
{
  for (size_t i = 0; i < n; i++) {
    double seconds = 1000 + (double)i + (i >= at ? ahead : 0);
    anchors[i] = (struct anchor){.ticks = (uint64_t)(int64_t)(seconds * GHZ2), .monotonic_ns = (50 + i) * SECOND};
  }
}

static void test_a_clock_that_never_jumped(void **state)
{
  struct anchor anchors[10];
  (void)state;
  fill(anchors, 10, 10, 0);
  struct anchor first = anchors[0];
  anchors[0] = anchors[7]; /* of different threads, in no order */
  anchors[7] = first;
  struct tick_rate rate = tick_rate_of(anchors, 10, 0);
  assert_true(rate.frequency == GHZ2);
  assert_int_equal(rate.span_ns, 9 * SECOND);
  assert_int_equal(rate.jumps, 0);
}

static void test_suspended_for_an_hour(void **state)
{
  struct anchor anchors[10];
  (void)state;
  fill(anchors, 10, 4, 3600);
  struct tick_rate rate = tick_rate_of(anchors, 10, 0);
  assert_true(rate.frequency == GHZ2);
  assert_int_equal(rate.jumps, 1);
  assert_true(rate.jumped_ns > 3599e9 && rate.jumped_ns < 3601e9);
  assert_false(rate.went_back);
}

static void test_a_clock_that_began_anew(void **state)
{
  struct anchor anchors[10];
  (void)state;
  fill(anchors, 10, 6, -1000);
  struct tick_rate rate = tick_rate_of(anchors, 10, 0);
  assert_true(rate.frequency == GHZ2);
  assert_int_equal(rate.jumps, 1);
  assert_true(rate.went_back);
}

/* With two anchors, a jump shows only if the frequency is known. */
static void test_a_short_trace_with_a_jump(void **state)
{
  struct anchor anchors[2];
  (void)state;
  fill(anchors, 2, 1, 60);
  struct tick_rate rate = tick_rate_of(anchors, 2, GHZ2);
  assert_true(rate.frequency == GHZ2);
  assert_int_equal(rate.jumps, 1);
  fill(anchors, 2, 1, 60);
  assert_int_equal(tick_rate_of(anchors, 2, 0).jumps, 0);
}

/* A thread may lose its processor between the two readings of an anchor. */
static void test_anchors_that_are_not_exact(void **state)
{
  struct anchor anchors[1000];
  (void)state;
  fill(anchors, 1000, 1000, 0);
  for (size_t i = 1; i < 999; i++)
    anchors[i].ticks += (i * 7919 % 100) * 2000000; /* up to 100 ms */
  struct tick_rate rate = tick_rate_of(anchors, 1000, 0);
  assert_true(rate.frequency == GHZ2);
  assert_int_equal(rate.jumps, 0);
}

static void test_what_is_no_clock(void **state)
{
  struct anchor none[1] = {{0}}, same[3] = {{5, 5, 5}, {5, 5, 5}, {9, 5, 5}};
  struct anchor far[3] = {{0, 0, 0}, {UINT64_MAX, 1, 0}, {1, UINT64_MAX, 0}};
  (void)state;
  assert_true(tick_rate_of(none, 0, 0).frequency == 0);
  assert_true(tick_rate_of(none, 1, 0).frequency == 0);
  assert_true(tick_rate_of(same, 3, 0).frequency == 0);
  assert_true(tick_rate_of(far, 3, 0).frequency == 0);
}

UNIT_TEST(tick_rate)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_clock_that_never_jumped),  cmocka_unit_test(test_suspended_for_an_hour),
      cmocka_unit_test(test_a_clock_that_began_anew),    cmocka_unit_test(test_a_short_trace_with_a_jump),
      cmocka_unit_test(test_anchors_that_are_not_exact), cmocka_unit_test(test_what_is_no_clock),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
