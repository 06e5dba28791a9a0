/* Threads that wait for each other when a run ends: hand-made archives with known answers. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/locks/deadlocks/deadlocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS    4
#define END        1000
#define ROLE(name) OTF2_REGION_ROLE_##name

struct scene {
  struct fixture *f;
  struct trace *trace;
  struct pool *pool;
  struct deadlocks deadlocks;
  uint32_t threads[THREADS], killed, class_name;
  uint32_t set_lock, critical, sblock, barrier, enter, park;
};

static int set_up(void **state)
{
  static struct scene s;
  s = (struct scene){.f = fixture_create(), .pool = pool_create(2)};
  for (uint32_t i = 0; i < THREADS; i++) {
    char name[16];
    snprintf(name, sizeof name, "thread %u", i);
    s.threads[i] = fixture_location(s.f, name);
    fixture_java_id(s.f, i, 100 + i);
  }
  s.killed = fixture_class(s.f, "killed");
  s.class_name = fixture_class(s.f, "app.Fork");
  s.set_lock = fixture_openmp(s.f, "omp_set_lock @a.c:1", ROLE(WRAPPER));
  s.critical = fixture_openmp(s.f, "!$omp critical @a.c:2", ROLE(CRITICAL));
  s.sblock = fixture_openmp(s.f, "!$omp critical sblock @a.c:2", ROLE(CRITICAL_SBLOCK));
  s.barrier = fixture_openmp(s.f, "!$omp barrier @a.c:3", ROLE(BARRIER));
  s.enter = fixture_region(s.f, "monitor enter @A.java:7", ROLE(CRITICAL), OTF2_PARADIGM_PTHREAD, 7);
  fixture_describe(s.f, s.enter, "state: blocked in mutex");
  s.park = fixture_region(s.f, "park @A.java:8", ROLE(THREAD_WAIT), OTF2_PARADIGM_PTHREAD, 8);
  fixture_describe(s.f, s.park, "state: blocked in condvar");
  for (uint32_t i = 0; i < THREADS; i++)
    fixture_thread_begin(s.f, s.threads[i], 0);
  *state = &s;
  return 0;
}

static int tear_down(void **state)
{
  struct scene *s = *state;
  analysis_free(&deadlocks_analysis, &s->deadlocks);
  trace_close(s->trace);
  pool_destroy(s->pool);
  fixture_destroy(s->f);
  return 0;
}

/* The thread gets a lock, and keeps it. */
static void get(const struct scene *s, uint32_t thread, uint64_t time, uint32_t lock)
{
  fixture_enter(s->f, thread, time, s->set_lock);
  fixture_leave(s->f, thread, time + 5, s->set_lock);
  fixture_lock(s->f, thread, time + 5, lock);
}

/* It waits for one up to the end. */
static void want(const struct scene *s, uint32_t thread, uint64_t time, uint32_t lock)
{
  fixture_enter(s->f, thread, time, s->set_lock);
  fixture_leave_waiting(s->f, thread, END, s->set_lock, s->killed, lock);
}

static void want_monitor(const struct scene *s, uint32_t thread, uint64_t time, uint64_t object, uint32_t owner)
{
  fixture_enter_object(s->f, thread, time, s->enter,
                       (struct fixture_object){s->class_name, object, 100 + owner, UINT32_MAX});
  fixture_leave_closed(s->f, thread, END, s->enter, s->killed);
}

static void find(struct scene *s)
{
  struct error error;
  for (uint32_t i = 0; i < THREADS; i++)
    fixture_thread_end_closed(s->f, s->threads[i], END, s->killed);
  s->trace = trace_open(fixture_finish(s->f), &error);
  if (!s->trace)
    fail_msg("%s", error.message);
  if (!analysis_find(&deadlocks_analysis, s->trace, s->pool, NULL, &s->deadlocks, &error))
    fail_msg("%s", error.message);
}

static void expect(const struct scene *s, size_t at, uint32_t waiter, uint32_t holder, uint32_t cycle)
{
  assert_true(at < s->deadlocks.count);
  assert_int_equal(s->deadlocks.list[at].location, waiter);
  assert_int_equal(s->deadlocks.list[at].holder, holder);
  assert_int_equal(s->deadlocks.list[at].cycle, cycle);
}

static void two_threads_in_turn_and_one_behind(void **state)
{
  struct scene *s = *state;
  get(s, 0, 10, 0);
  get(s, 1, 20, 1);
  want(s, 0, 30, 1);
  want(s, 1, 40, 0);
  want(s, 2, 50, 0);
  find(s);
  assert_int_equal(s->deadlocks.count, 3);
  expect(s, 0, 0, 1, 1);
  expect(s, 1, 1, 0, 1);
  expect(s, 2, 2, 0, 0);
  const struct deadlock_wait *wait = &s->deadlocks.list[0];
  assert_int_equal(wait->since, 30);
  assert_int_equal(wait->lock, 1);
  assert_int_equal(wait->acquired, 25);
  assert_string_equal(s->trace->regions[wait->holder_region].name, "omp_set_lock @a.c:1");
  char *text = deadlock_sentence(s->trace, &s->deadlocks, 0);
  assert_non_null(strstr(text, "the deadlock of 2 threads: thread 0 waits for "));
  assert_non_null(strstr(text, "1 more thread waits behind them."));
  free(text);
}

static void what_is_released_or_timed_is_no_deadlock(void **state)
{
  struct scene *s = *state;
  get(s, 0, 10, 0);
  get(s, 1, 20, 1);
  fixture_unlock(s->f, 1, 30, 1);
  want(s, 0, 40, 1); /* nobody has it */
  want(s, 1, 50, 0); /* its holder can go on */
  get(s, 2, 60, 7);
  want(s, 3, 70, 7); /* its holder runs */
  find(s);
  assert_int_equal(s->deadlocks.count, 0);
}

static void a_thread_that_parks_may_go_on(void **state)
{
  struct scene *s = *state;
  get(s, 0, 10, 0);
  fixture_enter(s->f, 0, 20, s->park);
  fixture_leave_closed(s->f, 0, END, s->park, s->killed);
  want(s, 1, 30, 0);
  find(s);
  assert_int_equal(s->deadlocks.count, 0);
}

static void a_thread_waits_for_itself(void **state)
{
  struct scene *s = *state;
  get(s, 3, 10, 4);
  want(s, 3, 30, 4);
  find(s);
  assert_int_equal(s->deadlocks.count, 1);
  expect(s, 0, 3, 3, 1);
}

/* OpenMP's lock one way, a monitor of Java's the other way. */
static void two_kinds_of_locks(void **state)
{
  struct scene *s = *state;
  get(s, 0, 10, 0);
  want_monitor(s, 0, 20, 0xabc, 1);
  want(s, 1, 30, 0);
  find(s);
  assert_int_equal(s->deadlocks.count, 2);
  expect(s, 0, 0, 1, 1);
  expect(s, 1, 1, 0, 1);
  char name[DEADLOCK_NAME_SIZE];
  assert_string_equal(deadlock_object(s->trace, &s->deadlocks.list[0], name), "app.Fork@abc");
}

/* The lock in a critical section is held until the end: the release there only closes it. */
static void a_critical_section_is_held(void **state)
{
  struct scene *s = *state;
  fixture_enter(s->f, 0, 10, s->critical);
  fixture_lock(s->f, 0, 11, 5);
  fixture_enter(s->f, 0, 11, s->sblock);
  fixture_enter(s->f, 0, 20, s->set_lock);
  fixture_leave_waiting(s->f, 0, END, s->set_lock, s->killed, 0);
  fixture_leave_closed(s->f, 0, END, s->sblock, s->killed);
  fixture_unlock(s->f, 0, END, 5);
  fixture_leave_closed(s->f, 0, END, s->critical, s->killed);
  get(s, 1, 12, 0);
  fixture_enter(s->f, 1, 30, s->critical);
  fixture_leave_waiting(s->f, 1, END, s->critical, s->killed, 5);
  find(s);
  assert_int_equal(s->deadlocks.count, 2);
  assert_string_equal(s->trace->regions[s->deadlocks.list[1].holder_region].name, "!$omp critical @a.c:2");
}

static void a_barrier_waits_for_all(void **state)
{
  struct scene *s = *state;
  uint32_t team = fixture_team(s->f, s->threads, 3);
  for (uint32_t i = 0; i < 3; i++)
    fixture_team_begin(s->f, i, 5, team);
  get(s, 0, 10, 0);
  for (uint32_t i = 0; i < 2; i++) {
    fixture_enter(s->f, i, 30, s->barrier);
    fixture_leave_closed(s->f, i, END, s->barrier, s->killed);
  }
  want(s, 2, 40, 0);
  find(s);
  assert_int_equal(s->deadlocks.count, 3);
  expect(s, 0, 0, 2, 1);
  expect(s, 1, 2, 0, 1);
  expect(s, 2, 1, 2, 0);
}

static void a_holder_that_has_ended_never_releases(void **state)
{
  struct scene *s = *state;
  get(s, 3, 10, 9);
  fixture_thread_end(s->f, 3, 20);
  s->threads[3] = 0; /* its end is there */
  want(s, 1, 30, 9);
  find(s);
  assert_int_equal(s->deadlocks.count, 1);
  expect(s, 0, 1, 3, 0);
  assert_true(s->deadlocks.list[0].ended);
}

UNIT_TEST(deadlocks)
{
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
      TEST(two_threads_in_turn_and_one_behind),
      TEST(what_is_released_or_timed_is_no_deadlock),
      TEST(a_thread_that_parks_may_go_on),
      TEST(a_thread_waits_for_itself),
      TEST(two_kinds_of_locks),
      TEST(a_critical_section_is_held),
      TEST(a_barrier_waits_for_all),
      TEST(a_holder_that_has_ended_never_releases),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
