/* Imbalance: the figures of hand-made archives with known answers. */
#include "tests/unit/analyzer/scene.h"
#include "tests/unit/unit.h"

/* Thread t works (t+1) * 100: max 400, mean 250. */
static void known_imbalance(void **state)
{
  (void)state;
  struct scene s = make_scene(4);
  do_loop(&s, 1000, (const uint64_t[]){100, 200, 300, 400});
  struct analyzed a = analyze(s.f);
  uint32_t places[] = {s.loop, s.parallel};
  for (size_t i = 0; i < 2; i++) {
    const struct imbalance_construct *c = &a.imbalance.constructs[places[i]];
    assert_int_equal(c->calls, 1);
    assert_int_equal(c->incomplete, 0);
    assert_int_equal(c->threads, 4);
    assert_int_equal(c->elapsed, 400);
    assert_int_equal(c->busy_min, 100);
    assert_int_equal(c->busy_max, 400);
    assert_near(fine_total_ticks(c->busy_mean), 250);
    assert_near(fine_total_ticks(c->imbalance), 150);
    assert_near(imbalance_percent(c), 100.0 * 150 / 400 * 4 / 3);
    assert_near(imbalance_load_balance(c), 0.625);
    assert_near(imbalance_efficiency(c), 1000.0 / 1600);
    assert_near(fine_total_ticks(c->to_win), 150);
    assert_int_equal(c->wait, 300 + 200 + 100);
    assert_int_equal(imbalance_slowest(c, 4), 3);
    assert_int_equal(c->by_thread[3].waited_for, 600);
    assert_int_equal(c->by_thread[3].last, 1);
    assert_int_equal(c->by_thread[0].busy, 100);
    assert_int_equal(c->by_thread[0].wait, 300);
  }
  const struct imbalance_construct *loop = &a.imbalance.constructs[s.loop];
  assert_int_equal(loop->parallel, s.parallel);
  assert_int_equal(loop->chunks, 4);
  assert_int_equal(loop->iterations, 100);
  assert_int_equal(loop->by_thread[2].iterations, 30);
  assert_int_equal(find_wait(&a, s.loop, 1, 3)->ticks, 200);
  assert_null(find_wait(&a, s.loop, 3, 3));
  assert_near(fine_total_ticks(loop->parts.uneven), 150);
  assert_near(fine_total_ticks(loop->parts.overhead), 0);
  assert_near(imbalance_to_win_percent(&a.imbalance, loop), 37.5);
  drop(&a);
}

/* In every call another thread is slow: the sums of all threads are equal, the imbalance is there all the same. */
static void moving_imbalance(void **state)
{
  (void)state;
  struct scene s = make_scene(3);
  uint64_t time = do_loop(&s, 0, (const uint64_t[]){300, 100, 200});
  time = do_loop(&s, time, (const uint64_t[]){200, 300, 100});
  do_loop(&s, time, (const uint64_t[]){100, 200, 300});
  struct analyzed a = analyze(s.f);
  const struct imbalance_construct *c = &a.imbalance.constructs[s.loop];
  assert_int_equal(c->calls, 3);
  for (uint32_t t = 0; t < 3; t++)
    assert_int_equal(c->by_thread[t].busy, 600);
  assert_near(fine_total_ticks(c->imbalance), 300);
  assert_near(imbalance_percent(c), 100.0 * 300 / 900 * 3 / 2);
  assert_int_equal(c->wait, 900);
  for (uint32_t t = 0; t < 3; t++)
    assert_int_equal(c->by_thread[t].waited_for, 300);
  drop(&a);
}

/* Ten calls: balanced in the first half of the run; in the second half one thread does all. The eighth is worst. */
static void calls_over_time(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  uint64_t begins[10], time = 0;
  for (unsigned call = 0; call < 10; call++) {
    begins[call] = time;
    do_loop(&s, time, (const uint64_t[]){10, call < 5 ? 10 : call == 7 ? 30 : 20});
    time += 100;
  }
  struct analyzed a = analyze(s.f);
  const struct imbalance_course *course = a.imbalance.constructs[s.loop].course;
  assert_int_equal(course->imbalance.count, 10);
  assert_int_equal(lengths_percentile(&course->elapsed, 0.5), 10);
  assert_int_equal(lengths_percentile(&course->elapsed, 0.9), 20);
  assert_int_equal(course->elapsed.max, 30);
  assert_int_equal(lengths_percentile(&course->imbalance, 0.5), 0);
  assert_int_equal(lengths_percentile(&course->imbalance, 0.6), 5);
  assert_int_equal(course->worst.imbalance, 10);
  assert_int_equal(course->worst.begin, begins[7]);
  assert_int_equal(course->worst.elapsed, 30);
  uint64_t first = a.trace->first_tick;
  for (unsigned call = 0; call < 10; call++) {
    const struct course_part *part = &course->parts[course_part(begins[call], first, first + a.trace->length)];
    assert_int_equal(part->calls, 1);
    assert_near(course_percent(part->scaled, part->busy_max), call < 5 ? 0 : call == 7 ? 100.0 * 20 / 30 : 50);
  }
  drop(&a);
}

static void parts_of_the_time(void **state)
{
  (void)state;
  assert_int_equal(course_part(100, 100, 200), 0);
  assert_int_equal(course_part(109, 100, 200), 0);
  assert_int_equal(course_part(110, 100, 200), 1);
  assert_int_equal(course_part(199, 100, 200), 9);
  assert_int_equal(course_part(200, 100, 200), 9);
  assert_int_equal(course_part(104, 100, 105), 4); /* parts of one tick: the last ones are empty */
  assert_int_equal(course_part(50, 100, 200), 0);  /* damaged archives */
  assert_int_equal(course_part(UINT64_MAX, 100, 200), 9);
  assert_int_equal(course_part(150, 200, 100), 0);
  assert_int_equal(course_part(UINT64_MAX, 0, UINT64_MAX), 9);
}

static void balanced(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  do_loop(&s, 0, (const uint64_t[]){1000, 1000});
  struct analyzed a = analyze(s.f);
  const struct imbalance_construct *c = &a.imbalance.constructs[s.loop];
  assert_near(imbalance_percent(c), 0);
  assert_near(imbalance_load_balance(c), 1);
  assert_near(imbalance_efficiency(c), 1);
  drop(&a);
}

/* A team of one cannot be imbalanced (and n / (n - 1) has no value). */
static void team_of_one(void **state)
{
  (void)state;
  struct scene s = make_scene(1);
  do_loop(&s, 0, (const uint64_t[]){500});
  struct analyzed a = analyze(s.f);
  const struct imbalance_construct *c = &a.imbalance.constructs[s.loop];
  assert_int_equal(c->calls, 1);
  assert_near(imbalance_percent(c), 0);
  assert_near(fine_total_ticks(c->to_win), 0);
  assert_near(fine_total_ticks(c->parts.starved), 0);
  drop(&a);
}

/* Chunks that were derived come as one event with their number. */
static void derived_chunks(void **state)
{
  (void)state;
  struct scene s = make_scene(1);
  begin_region(&s, 0, 0);
  fixture_enter(s.f, 0, 0, s.loop);
  fixture_chunk(s.f, 0, 0, s.chunk, 25, 1);
  fixture_leave(s.f, 0, 50, s.chunk);
  fixture_chunk(s.f, 0, 50, s.chunk, 75, 3);
  fixture_leave(s.f, 0, 50, s.chunk);
  fixture_leave(s.f, 0, 50, s.loop);
  end_region(&s, 0, 60);
  struct analyzed a = analyze(s.f);
  assert_int_equal(a.imbalance.constructs[s.loop].chunks, 4);
  assert_int_equal(a.imbalance.constructs[s.loop].iterations, 100);
  drop(&a);
}

/* Thread 0 works 90 of 100 ticks, thread 1 comes at 60 and works 10. All that can be won is the gain from even work,
 * 50. */
static void who_is_late_need_not_be_slow(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  const uint64_t begins[] = {1000, 1060}, works[] = {90, 10};
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, begins[t]);
    cross_barrier(&s, t, begins[t] + works[t], 1100);
    end_region(&s, t, 1100);
  }
  struct analyzed a = analyze(s.f);
  const struct imbalance_construct *c = &a.imbalance.constructs[s.parallel];
  assert_int_equal(c->elapsed, 100);
  assert_int_equal(c->late, 60);
  assert_near(fine_total_ticks(c->imbalance), 40);
  assert_near(fine_total_ticks(c->to_win), 50);
  assert_near(fine_total_ticks(c->parts.uneven), 40);
  assert_near(fine_total_ticks(c->parts.late), 10); /* what is left of 50 */
  assert_near(fine_total_ticks(c->lost_capacity), 100);
  assert_near(imbalance_to_win_percent(&a.imbalance, c), 100.0 * 100 / 140);
  drop(&a);
}

static void schedules(void **state)
{
  (void)state;
  struct trace_region region = {.description = "schedule: guided"};
  assert_int_equal(imbalance_schedule(&region), SCHEDULE_GUIDED);
  region.description = "ordered: yes; schedule: dynamic; x: y";
  assert_int_equal(imbalance_schedule(&region), SCHEDULE_DYNAMIC);
  region.description = "schedule: unknown";
  assert_int_equal(imbalance_schedule(&region), SCHEDULE_OTHER);
  region.description = "schedule: statically";
  assert_int_equal(imbalance_schedule(&region), SCHEDULE_OTHER);
  region.description = "";
  assert_int_equal(imbalance_schedule(&region), SCHEDULE_NONE);
}

UNIT_TEST(imbalance)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_imbalance),
      cmocka_unit_test(moving_imbalance),
      cmocka_unit_test(calls_over_time),
      cmocka_unit_test(parts_of_the_time),
      cmocka_unit_test(balanced),
      cmocka_unit_test(team_of_one),
      cmocka_unit_test(derived_chunks),
      cmocka_unit_test(schedules),
      cmocka_unit_test(who_is_late_need_not_be_slow),
  };
  return cmocka_run_group_tests_name("imbalance", tests, NULL, NULL);
}
