/* The analyzed part of a trace: times and lists as users write them, and hand-made archives with known answers. */
#include "analyzer/analyses/locks/locks.h"
#include "tests/unit/analyzer/scene.h"
#include "tests/unit/analyzer/subjects.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/loops/schedule.h"
#include "analyzer/analyses/states/survey.h"
#include "analyzer/command/values.h"

#include <string.h>

static void times(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    uint64_t ticks; /* at 3 GHz, of a run of 1001 ticks */
  } good[] = {{"0", 0},
              {"1", 3000000000},
              {"1s", 3000000000},
              {"1.5s", 4500000000},
              {".5", 1500000000},
              {"2.", 6000000000},
              {"300ms", 900000000},
              {"20us", 60000},
              {"100ns", 300},
              {"0.1ns", 0},
              {"0.16ns", 0},
              {"0.17ns", 1},
              {"0.5ns", 2}, /* 1.5: to the nearest, halves up */
              {"25%", 250},
              {"50%", 501},
              {"100%", 1001},
              {"0.05%", 1},
              {"999999999999999999", UINT64_MAX},
              {"0.00000000000000001", 0}};
  static const char *const bad[] = {
      "",    ".",     "s",    "-1",  "+1", "1.2.3", "1 s",  "1m", "1sec", "1e3s",
      "0x1", "1s1ms", "50 %", "inf", "%",  "1S",    "1,5s", " 1", "1s ",  "1234567890123456789"};
  struct time_word word;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    assert_true(time_word_read(good[i].text, &word));
    assert_int_equal(time_word_ticks(&word, 3000000000, 1001), good[i].ticks);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_false(time_word_read(bad[i], &word));
}

static void ranges(void **state)
{
  (void)state;
  static const char *const bad[] = {"", "-", "1-", "-1", "3-2", "1-2-3", "x", "1x", "4294967295", "1-4294967295", " 1"};
  struct number_range range;
  assert_true(number_range_read("7,", 1, &range));
  assert_int_equal(range.first, 7);
  assert_int_equal(range.last, 7);
  assert_true(number_range_read("10-4294967294", 13, &range));
  assert_int_equal(range.first, 10);
  assert_int_equal(range.last, 4294967294);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_false(number_range_read(bad[i], strlen(bad[i]), &range));
}

static void lists(void **state)
{
  (void)state;
  const char *at = "0-3,lu [7],,", *word;
  static const char *const words[] = {"0-3", "lu [7]", "", ""};
  size_t length, count = 0;
  for (; list_next(&at, &word, &length); count++) {
    assert_int_equal(length, strlen(words[count]));
    assert_memory_equal(word, words[count], length);
  }
  assert_int_equal(count, 4);
}

/* An archive, opened and restricted in time. */
struct part {
  struct fixture *fixture;
  struct trace *trace;
  struct pool *pool;
};

static struct part open_part(struct fixture *fixture, uint64_t from, uint64_t to)
{
  struct error error;
  struct part part = {fixture, trace_open(fixture_finish(fixture), &error), pool_create(2)};
  if (!part.trace)
    fail_msg("%s", error.message);
  trace_restrict_time(part.trace, from, to);
  return part;
}

/* The same archive, restricted in another way. */
static void restrict_again(const struct part *part, uint64_t from, uint64_t to)
{
  trace_restrict_time(part->trace, from, to);
}

static void close_part(struct part *part)
{
  pool_destroy(part->pool);
  trace_close(part->trace);
  fixture_destroy(part->fixture);
}

static struct states_thread states_of(const struct part *part, uint32_t location)
{
  struct error error;
  struct states_sums sums;
  if (!analysis_find(&states_sums_analysis, part->trace, part->pool, NULL, &sums, &error))
    fail_msg("%s", error.message);
  struct states_thread thread = sums.threads[location];
  states_sums_free(&sums);
  return thread;
}

/* A loop is RUN, but OVERHEAD up to its first chunk: what it is at the border only the chunk behind it says. */
static void what_follows_decides(void **state)
{
  (void)state;
  struct scene s = make_scene(1);
  uint32_t thread = s.threads[0];
  begin_region(&s, thread, 100);
  fixture_enter(s.f, thread, 200, s.loop);
  fixture_measurement(s.f, thread, 260, 0); /* decides nothing: more has to be read */
  fixture_measurement(s.f, thread, 270, 1);
  fixture_chunk(s.f, thread, 300, s.chunk, 10, 1);
  fixture_leave(s.f, thread, 400, s.chunk);
  fixture_leave(s.f, thread, 500, s.loop);
  end_region(&s, thread, 600);
  struct part part = open_part(s.f, 150, 250);
  struct states_thread cut = states_of(&part, thread);
  assert_true(cut.alive);
  assert_int_equal(cut.first, 150);
  assert_int_equal(cut.last, 250);
  assert_int_equal(cut.events, 1);
  assert_int_equal(cut.ticks[STATE_RUN], 50);
  assert_int_equal(cut.ticks[STATE_OVERHEAD], 50);
  restrict_again(&part, 210, 220); /* no event in it */
  cut = states_of(&part, thread);
  assert_true(cut.alive);
  assert_int_equal(cut.events, 0);
  assert_int_equal(cut.ticks[STATE_OVERHEAD], 10);
  restrict_again(&part, 350, UINT64_MAX);
  cut = states_of(&part, thread);
  assert_int_equal(cut.first, 350);
  assert_int_equal(cut.last, 600);
  restrict_again(&part, 10, 50); /* before its first event */
  assert_false(states_of(&part, thread).alive);
  restrict_again(&part, 601, UINT64_MAX);
  assert_false(states_of(&part, thread).alive);
  close_part(&part);
}

static struct imbalance balance_of(const struct part *part)
{
  struct error error;
  struct imbalance imbalance;
  if (!find_imbalance(part->trace, part->pool, &imbalance, &error))
    fail_msg("%s", error.message);
  return imbalance;
}

static void expect_calls(const struct part *part, const struct scene *s, uint64_t from, uint64_t to, uint64_t calls,
                         uint64_t excluded)
{
  restrict_again(part, from, to);
  struct imbalance imbalance = balance_of(part);
  assert_int_equal(imbalance.constructs[s->loop].calls, calls);
  assert_int_equal(imbalance.constructs[s->parallel].calls, calls);
  assert_int_equal(imbalance.excluded, excluded);
  for (uint32_t i = 0; i < s->count; i++)
    if (calls > 0)
      assert_int_equal(imbalance.constructs[s->loop].by_thread[i].calls, calls);
    else
      assert_null(imbalance.constructs[s->loop].by_thread);
  analysis_free(&imbalance_analysis, &imbalance);
}

/* Three regions with a loop each; a region that is not whole in the time is omitted, and so is its loop. */
static void whole_executions_are_judged(void **state)
{
  (void)state;
  struct scene s = make_scene(3);
  uint64_t ends[3], at = 1000;
  for (unsigned i = 0; i < 3; i++) {
    ends[i] = do_loop(&s, at, (const uint64_t[]){100, 200, 300});
    at = ends[i] + 1000;
  }
  struct part part = open_part(s.f, 0, UINT64_MAX);
  expect_calls(&part, &s, 0, UINT64_MAX, 3, 0);
  expect_calls(&part, &s, 0, ends[1] + 1, 2, 0);
  expect_calls(&part, &s, 1, ends[1], 1, 2); /* the second one's end is the first tick after the stretch */
  expect_calls(&part, &s, 1000, UINT64_MAX, 3, 0);
  expect_calls(&part, &s, 1001, UINT64_MAX, 2, 2);
  expect_calls(&part, &s, 1150, ends[2] - 50, 1, 4);
  expect_calls(&part, &s, ends[0] + 10, ends[0] + 20, 0, 0);
  restrict_again(&part, ends[0] + 1, ends[1] + 1);
  struct imbalance imbalance = balance_of(&part);
  assert_int_equal(imbalance.constructs[s.loop].busy_max, 300);
  assert_near(fine_total_ticks(imbalance.constructs[s.loop].imbalance), 100);
  assert_int_equal(imbalance.constructs[s.loop].by_thread[2].waited_for, 300);
  analysis_free(&imbalance_analysis, &imbalance);
  trace_restrict_time(part.trace, 0, UINT64_MAX);
  trace_exclude(part.trace, s.threads[1]);
  expect_calls(&part, &s, 0, UINT64_MAX, 0, 6); /* not all threads of the team are analyzed */
  close_part(&part);
}

/* A barrier that is behind the border belongs to the loop before it. */
static void a_barrier_belongs_to_its_loop(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  for (uint32_t i = 0; i < 2; i++)
    begin_region(&s, s.threads[i], 100);
  for (uint32_t i = 0; i < 2; i++) {
    fixture_enter(s.f, s.threads[i], 200, s.loop);
    fixture_leave(s.f, s.threads[i], 300, s.loop);
    cross_barrier(&s, s.threads[i], 310 + 50 * i, 400);
    end_region(&s, s.threads[i], 500);
  }
  struct part part = open_part(s.f, 150, 401);
  struct imbalance imbalance = balance_of(&part);
  assert_int_equal(imbalance.constructs[s.loop].calls, 1);
  assert_int_equal(imbalance.constructs[s.loop].wait, 90 + 40);
  assert_int_equal(imbalance.excluded, 1); /* the region */
  analysis_free(&imbalance_analysis, &imbalance);
  restrict_again(&part, 150, 350);
  imbalance = balance_of(&part);
  assert_int_equal(imbalance.constructs[s.loop].calls, 0);
  assert_int_equal(imbalance.excluded, 2);
  analysis_free(&imbalance_analysis, &imbalance);
  restrict_again(&part, 150, 250); /* all threads are in the loop where it ends */
  imbalance = balance_of(&part);
  assert_int_equal(imbalance.excluded, 2);
  analysis_free(&imbalance_analysis, &imbalance);
  close_part(&part);
}

static void expect_loops(const struct part *part, uint64_t from, uint64_t to, uint64_t calls, uint64_t excluded)
{
  struct error error;
  struct schedules schedules;
  restrict_again(part, from, to);
  if (!find_schedules(part->trace, part->pool, NULL, 0, &schedules, &error))
    fail_msg("%s", error.message);
  assert_int_equal(schedules.count, calls > 0);
  if (calls > 0) {
    assert_int_equal(schedules.loops[0].calls, calls);
    assert_int_equal(schedules.loops[0].incomplete, 0);
  }
  assert_int_equal(schedules.excluded, excluded);
  analysis_free(&schedules_analysis, &schedules);
}

/* A region from 100 to 900 with three loops, of 100 to 120 ticks each. */
static void whole_loops_are_simulated(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  for (uint32_t i = 0; i < 2; i++) {
    begin_region(&s, s.threads[i], 100);
    for (uint64_t at = 200; at < 800; at += 200) {
      fixture_enter(s.f, s.threads[i], at, s.loop);
      fixture_chunk(s.f, s.threads[i], at, s.chunk, 10, 1);
      fixture_leave(s.f, s.threads[i], at + 100 + 20 * i, s.chunk);
      fixture_leave(s.f, s.threads[i], at + 100 + 20 * i, s.loop);
    }
    end_region(&s, s.threads[i], 900);
  }
  struct part part = open_part(s.f, 0, UINT64_MAX);
  expect_loops(&part, 0, UINT64_MAX, 3, 0);
  expect_loops(&part, 150, 750, 3, 0); /* the region is not whole, the loops are */
  expect_loops(&part, 200, 721, 3, 0);
  expect_loops(&part, 201, 720, 1, 2);
  expect_loops(&part, 250, 700, 1, 2);
  expect_loops(&part, 350, 650, 1, 1); /* both threads are in the last loop where it ends */
  expect_loops(&part, 330, 380, 0, 0);
  trace_exclude(part.trace, s.threads[0]);
  expect_loops(&part, 0, UINT64_MAX, 0, 3);
  close_part(&part);
}

static struct locks locks_of(const struct part *part)
{
  struct error error;
  struct locks locks;
  if (!analysis_find(&locks_analysis, part->trace, part->pool, NULL, &locks, &error))
    fail_msg("%s", error.message);
  return locks;
}

/* Thread 0 holds the lock from 100 to 500, thread 1 requests it at 200 and holds it from 500 to 700. */
static void waits_count_with_their_part(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t a = fixture_location(f, "a"), b = fixture_location(f, "b");
  uint32_t critical = fixture_openmp(f, "!$omp critical @x.c:1", OTF2_REGION_ROLE_CRITICAL);
  fixture_enter(f, a, 90, critical);
  fixture_lock(f, a, 100, 1);
  fixture_unlock(f, a, 500, 1);
  fixture_leave(f, a, 510, critical);
  fixture_enter(f, b, 200, critical);
  fixture_lock(f, b, 500, 1);
  fixture_unlock(f, b, 700, 1);
  fixture_leave(f, b, 710, critical);
  struct part part = open_part(f, 300, 600);
  struct locks locks = locks_of(&part);
  assert_int_equal(locks.count, 1);
  assert_int_equal(locks.list[0].sums.acquisitions, 1);
  assert_int_equal(locks.list[0].sums.waits, 1);
  assert_int_equal(locks.list[0].sums.wait, 200); /* from 300 on; who had it is known from before */
  assert_int_equal(locks.list[0].sums.held, 200); /* by a */
  assert_int_equal(locks.open, 0);
  analysis_free(&locks_analysis, &locks);
  restrict_again(&part, 300, 400); /* only a part of a wait */
  locks = locks_of(&part);
  assert_int_equal(locks.count, 0);
  assert_int_equal(locks.open, 1);
  analysis_free(&locks_analysis, &locks);
  restrict_again(&part, 0, UINT64_MAX);
  trace_exclude(part.trace, a); /* b waited for it all the same */
  locks = locks_of(&part);
  assert_int_equal(locks.list[0].sums.acquisitions, 1);
  assert_int_equal(locks.list[0].sums.wait, 300);
  assert_int_equal(locks.list[0].sums.held, 200); /* by b */
  analysis_free(&locks_analysis, &locks);
  close_part(&part);
}

/* What a subscriber is given. */
struct given {
  unsigned enters, leaves, events;
  uint64_t first, last;
  size_t depth;
  bool cut;
  const struct pass_location *location;
};

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  (void)error;
  struct given *given = context;
  given->location = location;
  return context;
}

static bool take_event(void *lane, const struct trace_event *event)
{
  struct given *given = lane;
  given->first = given->events++ == 0 ? event->time : given->first;
  given->last = event->time;
  given->enters += event->kind == TRACE_Enter;
  given->leaves += event->kind == TRACE_Leave;
  given->depth = given->location->view->depth;
  return true;
}

static bool end_lane(void *lane)
{
  struct given *given = lane;
  given->cut = given->location->cut;
  return true;
}

static void close_lane(void *context, void *lane)
{
  (void)context;
  (void)lane;
}

static struct given give(const struct part *part, bool before, bool borders)
{
  struct given given = {0};
  struct subscriber subscriber = {.context = &given,
                                  .before = before,
                                  .borders = borders,
                                  .open = open_lane,
                                  .event = take_event,
                                  .end = end_lane,
                                  .close = close_lane};
  const struct subscriber *subscribers[] = {&subscriber};
  struct error error;
  if (!pass_location(part->trace, 0, subscribers, 1, &error))
    fail_msg("%s", error.message);
  return given;
}

static void subscribers_get_what_they_ask_for(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "a");
  uint32_t regions[3];
  for (unsigned i = 0; i < 3; i++)
    regions[i] = fixture_region(f, "f", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 1 + i);
  for (unsigned i = 0; i < 3; i++)
    fixture_enter(f, thread, 100 * (i + 1), regions[i]);
  for (unsigned i = 0; i < 3; i++)
    fixture_leave(f, thread, 400 + 100 * i, regions[2 - i]);
  struct part part = open_part(f, 250, 450); /* Enter at 300, Leave at 400; two regions are open at both borders */
  struct given given = give(&part, false, false);
  assert_int_equal(given.events, 2);
  assert_true(given.cut);
  given = give(&part, true, false);
  assert_int_equal(given.events, 4);
  assert_int_equal(given.first, 100);
  given = give(&part, false, true);
  assert_int_equal(given.enters, 3);
  assert_int_equal(given.leaves, 3);
  assert_int_equal(given.first, 250);
  assert_int_equal(given.last, 450);
  assert_int_equal(given.depth, 1); /* after the last one nothing is open */
  restrict_again(&part, 250, UINT64_MAX);
  assert_false(give(&part, false, false).cut);
  close_part(&part);
}

UNIT_TEST(restriction)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times),
      cmocka_unit_test(ranges),
      cmocka_unit_test(lists),
      cmocka_unit_test(what_follows_decides),
      cmocka_unit_test(whole_executions_are_judged),
      cmocka_unit_test(a_barrier_belongs_to_its_loop),
      cmocka_unit_test(whole_loops_are_simulated),
      cmocka_unit_test(waits_count_with_their_part),
      cmocka_unit_test(subscribers_get_what_they_ask_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
