/* Imbalance where measurement stopped or paused: what was not measured is in no figure. */
#include "tests/unit/analyzer/scene.h"
#include "tests/unit/unit.h"

enum { LONG_AFTER = 7970000 };

/* A thread's part of a loop and its barrier. */
static void share_loop(const struct scene *s, uint32_t thread, uint64_t start, uint64_t busy, uint64_t end)
{
  fixture_enter(s->f, thread, start, s->loop);
  fixture_leave(s->f, thread, start + busy, s->loop);
  cross_barrier(s, thread, start + busy, end);
}

/* Ten loops that lose 32 % are recorded in one region, then recording stops; the region goes on for 8 seconds. */
static void recording_stops_in_a_region(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  const uint64_t busy[] = {100, 36};
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, 0);
    for (uint64_t k = 0; k < 10; k++)
      share_loop(&s, t, 100 * k, busy[t], 100 * k + 100);
    fixture_measurement(s.f, t, 1000, 0);
    fixture_measurement(s.f, t, LONG_AFTER, 1);
    end_region(&s, t, LONG_AFTER);
  }
  struct analyzed a = analyze(s.f);
  const struct imbalance_construct *loop = &a.imbalance.constructs[s.loop];
  const struct imbalance_construct *parallel = &a.imbalance.constructs[s.parallel];
  assert_int_equal(a.imbalance.lifetimes, 2000);
  assert_int_equal(a.imbalance.not_measured, 2 * (LONG_AFTER - 1000));
  assert_int_equal(loop->incomplete, 0);
  assert_int_equal(loop->elapsed, 1000);
  assert_near(imbalance_to_win_percent(&a.imbalance, loop), 32);
  assert_int_equal(parallel->incomplete, 1);
  assert_int_equal(parallel->elapsed, 1000);
  assert_near(imbalance_efficiency(parallel), 0.68);
  assert_near(fine_total_ticks(parallel->imbalance), 320);
  assert_int_equal(parallel->wait, 0); /* its own barrier was not seen */
  assert_near(fine_total_ticks(loop->parts.uneven), 320);
  assert_near(fine_total_ticks(parallel->parts.uneven), 320);
  drop(&a);
}

/* One thread has worked all the time when it stops, the other, which stops later, for a quarter. */
static void members_stop_at_different_times(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  const uint64_t stops[] = {100, 200};
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, 0);
    fixture_enter(s.f, t, 0, s.loop);
    if (t == 1) {
      fixture_leave(s.f, t, 50, s.loop);
      fixture_enter(s.f, t, 50, s.barrier);
    }
    fixture_measurement(s.f, t, stops[t], 0);
    fixture_measurement(s.f, t, LONG_AFTER, 1);
    fixture_leave(s.f, t, LONG_AFTER, t == 1 ? s.barrier : s.loop);
    end_region(&s, t, LONG_AFTER);
  }
  struct analyzed a = analyze(s.f);
  const struct imbalance_construct *loop = &a.imbalance.constructs[s.loop];
  assert_int_equal(loop->incomplete, 1);
  assert_int_equal(loop->capacity, 300);
  assert_int_equal(loop->elapsed, 150);
  assert_int_equal(loop->busy, 150);
  assert_near(fine_total_ticks(loop->busy_mean), (150 + 0.25 * 150) / 2);
  assert_near(fine_total_ticks(loop->imbalance), 150 - (150 + 0.25 * 150) / 2);
  assert_int_equal(a.imbalance.waits.count, 0); /* for whom the second one waits is not known */
  drop(&a);
}

/* The events of a thread end where its recording stopped; the other one's go on. */
static void only_one_thread_goes_on(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  begin_region(&s, 0, 0);
  share_loop(&s, 0, 0, 100, 100);
  fixture_measurement(s.f, 0, 100, 0);
  end_region(&s, 0, 100);
  begin_region(&s, 1, 0);
  for (uint64_t k = 0; k < 4; k++)
    share_loop(&s, 1, 100 * k, 80, 100 * k + 100);
  end_region(&s, 1, 400);
  struct analyzed a = analyze(s.f);
  const struct imbalance_construct *loop = &a.imbalance.constructs[s.loop];
  const struct imbalance_construct *parallel = &a.imbalance.constructs[s.parallel];
  assert_int_equal(loop->calls, 4);
  assert_int_equal(loop->incomplete, 3);
  assert_int_equal(loop->elapsed, 400);
  assert_int_equal(loop->capacity, 200 + 3 * 100);
  assert_int_equal(loop->busy_max, 100);
  assert_near(fine_total_ticks(loop->imbalance), 10);
  assert_int_equal(parallel->capacity, 100 + 400);
  assert_near(fine_total_ticks(parallel->imbalance), 250 * (1 - (1 + 0.8) / 2));
  drop(&a);
}

/* A thread's recording misses the second of three loops: its third is not taken for the other one's second. */
static void a_gap_hides_a_loop(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, 0);
    share_loop(&s, t, 0, 100 - 20 * t, 100);
    if (t == 0) {
      fixture_measurement(s.f, t, 110, 0);
      fixture_measurement(s.f, t, 210, 1);
    } else {
      share_loop(&s, t, 110, 80, 210);
    }
    share_loop(&s, t, 220, 100 - 20 * t, 320);
    end_region(&s, t, 330);
  }
  struct analyzed a = analyze(s.f);
  const struct imbalance_construct *loop = &a.imbalance.constructs[s.loop];
  assert_int_equal(loop->incomplete, 2);
  assert_int_equal(loop->busy_max, 100);
  assert_near(fine_total_ticks(loop->imbalance), 10);
  assert_int_equal(loop->by_thread[0].calls, 2);
  assert_int_equal(loop->by_thread[1].calls, 3);
  drop(&a);
}

/* A pause between two loops that nobody else had a part in: they are matched, and whole. */
static void a_pause_between_loops(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, 0);
    share_loop(&s, t, 0, 100 - 20 * t, 100);
    fixture_measurement(s.f, t, 100, 0);
    fixture_measurement(s.f, t, 500, 1);
    share_loop(&s, t, 500, 100 - 20 * t, 600);
    end_region(&s, t, 600);
  }
  struct analyzed a = analyze(s.f);
  const struct imbalance_construct *loop = &a.imbalance.constructs[s.loop];
  assert_int_equal(loop->incomplete, 0);
  assert_int_equal(loop->elapsed, 200);
  assert_near(fine_total_ticks(loop->imbalance), 20);
  assert_int_equal(a.imbalance.constructs[s.parallel].elapsed, 200);
  drop(&a);
}

UNIT_TEST(not_measured)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recording_stops_in_a_region), cmocka_unit_test(members_stop_at_different_times),
      cmocka_unit_test(only_one_thread_goes_on),     cmocka_unit_test(a_gap_hides_a_loop),
      cmocka_unit_test(a_pause_between_loops),
  };
  return cmocka_run_group_tests_name("not_measured", tests, NULL, NULL);
}
