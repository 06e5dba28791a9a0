/* The history of a sum: bins fold, sums stay. */
#include "analyzer/live/readings/metric_focus.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdlib.h>

static uint64_t sum_of(const struct live_history *history)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < LIVE_HISTORY_BINS; i++)
    sum += history->bins[i];
  return sum;
}

static void amounts_come_into_their_bins(void **state)
{
  struct live_history history;
  (void)state;
  live_history_begin(&history, 1000, 10);
  live_history_add(&history, 1000, 1010, 7);
  live_history_add(&history, 1010, 1020, 5);
  live_history_add(&history, 1025, 1035, 8); /* a half each in two bins */
  assert_int_equal(history.used, 4);
  assert_int_equal(history.bins[0], 7);
  assert_int_equal(history.bins[1], 5);
  assert_int_equal(history.bins[2], 4);
  assert_int_equal(history.bins[3], 4);
  /* Half of the last bin's time has come. */
  assert_true(live_history_density(&history, 0) == 0.7);
  assert_true(live_history_density(&history, 3) == 0.8);
  assert_true(live_history_density(&history, 4) == 0);
}

static void full_bins_fold_in_pairs(void **state)
{
  struct live_history history;
  (void)state;
  live_history_begin(&history, 0, 10);
  for (uint64_t i = 0; i < LIVE_HISTORY_BINS; i++)
    live_history_add(&history, 10 * i, 10 * i + 10, i);
  assert_int_equal(history.width, 10);
  assert_int_equal(history.used, LIVE_HISTORY_BINS);
  live_history_add(&history, 10 * LIVE_HISTORY_BINS, 10 * LIVE_HISTORY_BINS + 1, 3);
  assert_int_equal(history.width, 20);
  assert_int_equal(history.used, LIVE_HISTORY_BINS / 2 + 1);
  for (uint64_t i = 0; i < LIVE_HISTORY_BINS / 2; i++)
    assert_int_equal(history.bins[i], 4 * i + 1);
  assert_int_equal(history.bins[LIVE_HISTORY_BINS / 2], 3);
}

static void sums_stay_whatever_comes(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 200; seed++) {
    struct live_history history;
    uint64_t now = 1u << 20, put_in = 0;
    srandom(seed);
    live_history_begin(&history, now, 1 + (uint64_t)random() % 50);
    for (int i = 0; i < 300; i++) {
      uint64_t length = (uint64_t)random() % (i % 10 == 0 ? 3000 : 30), amount = (uint64_t)random() % 100000;
      live_history_add(&history, now, now + length, amount);
      now += length + (uint64_t)random() % 20;
      put_in += amount;
      assert_int_equal(sum_of(&history), put_in);
      assert_true(history.used <= LIVE_HISTORY_BINS);
      assert_true(history.end <= history.used * history.width);
    }
  }
}

static void a_long_pause_folds_many_times(void **state)
{
  struct live_history history;
  (void)state;
  live_history_begin(&history, 5, 1);
  live_history_add(&history, 5, 6, 9);
  live_history_add(&history, 6, (uint64_t)1 << 62, UINT64_MAX / 2);
  assert_int_equal(sum_of(&history), UINT64_MAX / 2 + 9);
}

static void time_before_the_begin_counts_for_the_first_bin(void **state)
{
  struct live_history history;
  (void)state;
  live_history_begin(&history, 100, 10);
  live_history_add(&history, 50, 90, 3);
  live_history_add(&history, 100, 100, 4);
  assert_int_equal(history.bins[0], 7);
  assert_int_equal(history.used, 1);
}

static void a_later_history_has_the_same_bins(void **state)
{
  struct live_history first, later;
  (void)state;
  live_history_begin(&first, 7, 3);
  live_history_add(&first, 7, 7 + 3 * 700, 100);
  live_history_like(&later, &first);
  assert_int_equal(later.begin, 7);
  assert_int_equal(later.width, 6);
  assert_int_equal(later.used, first.used);
  assert_int_equal(sum_of(&later), 0);
}

UNIT_TEST(live_history)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(amounts_come_into_their_bins),
      cmocka_unit_test(full_bins_fold_in_pairs),
      cmocka_unit_test(sums_stay_whatever_comes),
      cmocka_unit_test(a_long_pause_folds_many_times),
      cmocka_unit_test(time_before_the_begin_counts_for_the_first_bin),
      cmocka_unit_test(a_later_history_has_the_same_bins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
