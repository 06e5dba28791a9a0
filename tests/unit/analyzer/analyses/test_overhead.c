/* The cost of recording: the thread with the highest, its part of the time without recording, and the construct. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/overhead/overhead.h"
#include "analyzer/findings/sentences.h"
#include "analyzer/trace/definitions.h"

#include <stdlib.h>
#include <string.h>

enum { LIFETIME = 105000, CHUNKS = 3 };

/* A thread with one region, in which there is one loop. */
static void live(struct fixture *fixture, uint32_t thread, const uint32_t regions[3])
{
  fixture_enter(fixture, thread, 0, regions[0]);
  fixture_enter(fixture, thread, 10, regions[1]);
  for (uint64_t i = 0; i < CHUNKS; i++) {
    fixture_chunk(fixture, thread, 20 + 10 * i, regions[2], 1, 1);
    fixture_leave(fixture, thread, 25 + 10 * i, regions[2]);
  }
  fixture_leave(fixture, thread, 90, regions[1]);
  fixture_leave(fixture, thread, LIFETIME, regions[0]);
}

/* Two threads with so many ticks of recording; 0: unknown. Returns the reference of the loop. */
static uint32_t estimate(uint64_t first, uint64_t second, struct overhead *overhead)
{
  struct fixture *fixture = fixture_create();
  const uint32_t regions[] = {fixture_openmp(fixture, "!$omp parallel @a.c:1", OTF2_REGION_ROLE_PARALLEL),
                              fixture_openmp(fixture, "!$omp for @a.c:2", OTF2_REGION_ROLE_LOOP),
                              fixture_openmp(fixture, "chunk @a.c:2", OTF2_REGION_ROLE_LOOP)};
  const uint64_t costs[] = {first, second};
  for (unsigned i = 0; i < 2; i++) {
    uint32_t thread = fixture_location(fixture, "thread");
    fixture_recording(fixture, thread, costs[i]);
    live(fixture, thread, regions);
  }
  struct error error;
  struct trace *trace = trace_open(fixture_finish(fixture), &error);
  if (!trace || !overhead_estimate(trace, overhead, &error))
    fail_msg("%s", error.message);
  trace_close(trace);
  fixture_destroy(fixture);
  return regions[1];
}

static void the_dearest_thread_and_its_busiest_construct_are_named(void **state)
{
  (void)state;
  struct overhead overhead;
  uint32_t loop = estimate(4000, 5000, &overhead);
  assert_int_equal(overhead.location, 1);
  assert_int_equal(overhead.recording, 5000);
  assert_int_equal(overhead.lifetime, LIFETIME);
  assert_int_equal(overhead.construct, loop);
  assert_int_equal(overhead.kind, OVERHEAD_LOOPS);
  /* Events of the loop: its enter and leave, and the events of its chunks; two events of the region around it. */
  assert_true(overhead.share == (2.0 + 2 * CHUNKS) / (4 + 2 * CHUNKS));
  assert_true(overhead_percent(&overhead) == 5.0); /* 5,000 of 100,000 without recording */
}

/* Two threads of LIFETIME ticks in a process with a budget; 20,000 ticks are the burst at a thread's begin. */
static void spend(const char *text, uint64_t first, uint64_t second, struct budget *budget, struct overhead *overhead)
{
  struct fixture *fixture = fixture_create();
  const uint32_t regions[] = {fixture_openmp(fixture, "!$omp parallel @a.c:1", OTF2_REGION_ROLE_PARALLEL),
                              fixture_openmp(fixture, "!$omp for @a.c:2", OTF2_REGION_ROLE_LOOP),
                              fixture_openmp(fixture, "chunk @a.c:2", OTF2_REGION_ROLE_LOOP)};
  const uint64_t costs[] = {first, second};
  if (text)
    fixture_property(fixture, "HEDDLE::BUDGET", text);
  for (unsigned i = 0; i < 2; i++) {
    uint32_t thread = fixture_location(fixture, "thread");
    fixture_recording(fixture, thread, costs[i]);
    live(fixture, thread, regions);
  }
  struct error error;
  struct trace *trace = trace_open(fixture_finish(fixture), &error);
  struct pool *pool = pool_create(2);
  assert_true(trace && analysis_find(&budget_analysis, trace, pool, NULL, budget, &error));
  assert_true(!text || strcmp(budget->text, text) == 0);
  assert_true(overhead_estimate(trace, overhead, &error));
  budget->text = budget->text ? "" : NULL;
  pool_destroy(pool);
  trace_close(trace);
  fixture_destroy(fixture);
}

static void a_budget_is_held_or_not(void **state)
{
  (void)state;
  struct budget budget;
  struct overhead overhead;
  uint64_t allowed = (LIFETIME / 10 + 20000) / 4 * 5; /* with some slack */
  spend("10 %", 4000, allowed, &budget, &overhead);
  assert_true(budget.recording == 4000 + allowed && budget.lifetimes == (wide_total)2 * LIFETIME);
  assert_int_equal(budget.over, 0);
  assert_false(overhead_is_too_much(&overhead)); /* 41 %, but not more than was allowed */
  spend("10 %", allowed + 2, allowed + 1, &budget, &overhead);
  assert_int_equal(budget.over, 2);
  assert_true(overhead_is_too_much(&overhead));
  spend("none", 60000, 70000, &budget, &overhead);
  assert_int_equal(budget.over, 0);
  assert_true(overhead_is_too_much(&overhead));
  spend(NULL, 60000, 70000, &budget, &overhead);
  assert_null(budget.text);
  assert_true(budget.lifetimes == 0);
}

static void what_nobody_notices_is_not_looked_at(void **state)
{
  (void)state;
  struct overhead overhead;
  estimate(999, 998, &overhead); /* of 1 ms */
  assert_int_equal(overhead.lifetime, 0);
  assert_int_equal(overhead.construct, TRACE_NONE);
  assert_true(overhead_percent(&overhead) == 0);
}

static void an_archive_of_another_tool_has_no_price(void **state)
{
  (void)state;
  struct overhead overhead;
  estimate(0, 0, &overhead);
  assert_int_equal(overhead.location, TRACE_NONE);
  assert_true(overhead_percent(&overhead) == 0);
}

static void a_price_that_cannot_be_is_no_percentage(void **state)
{
  (void)state;
  struct overhead overhead;
  estimate(1000, LIFETIME, &overhead); /* as long as the thread lived */
  assert_int_equal(overhead.lifetime, LIFETIME);
  assert_true(overhead_percent(&overhead) == 0);
}

/* Events of locks outside of their routines, and events of tasks, belong to the locks and tasks. */
static void locks_and_tasks_are_named(void **state)
{
  (void)state;
  for (int tasks = 0; tasks < 2; tasks++) {
    struct fixture *f = fixture_create();
    uint32_t parallel = fixture_openmp(f, "!$omp parallel @a.c:1", OTF2_REGION_ROLE_PARALLEL);
    uint32_t a = fixture_openmp(f, "omp_set_lock @a.c:2", OTF2_REGION_ROLE_WRAPPER);
    uint32_t b = fixture_openmp(f, "omp_set_lock @a.c:3", OTF2_REGION_ROLE_WRAPPER);
    uint32_t task = fixture_openmp(f, "!$omp task @a.c:4", OTF2_REGION_ROLE_TASK);
    uint32_t thread = fixture_location(f, "thread"), team = fixture_team(f, &thread, 1);
    fixture_recording(f, thread, 5000);
    fixture_enter(f, thread, 0, parallel);
    for (uint64_t i = 0; i < 10; i++) { /* of a: 6 times 4 events; of b: 4 times */
      uint64_t time = 100 * i + 10;
      uint32_t region = tasks ? task : i < 6 ? a : b;
      if (tasks)
        OTF2_EvtWriter_ThreadTaskCreate(fixture_writer(f, thread), NULL, time, team, 0, (uint32_t)i + 1);
      if (tasks)
        OTF2_EvtWriter_ThreadTaskSwitch(fixture_writer(f, thread), NULL, time, team, 0, (uint32_t)i + 1);
      fixture_enter(f, thread, time, region);
      fixture_leave(f, thread, time + 5, region);
      if (!tasks)
        fixture_lock(f, thread, time + 5, 7);
      if (!tasks)
        fixture_unlock(f, thread, time + 20, 7);
    }
    fixture_leave(f, thread, LIFETIME, parallel);
    struct error error;
    struct trace *trace = trace_open(fixture_finish(f), &error);
    struct overhead overhead;
    assert_true(trace && overhead_estimate(trace, &overhead, &error));
    assert_int_equal(overhead.kind, tasks ? OVERHEAD_TASKS : OVERHEAD_LOCKS);
    assert_int_equal(overhead.construct, tasks ? task : a);
    assert_true(overhead.share == (tasks ? 40 : 24) / 42.0);
    assert_true(overhead.kind_share == 40 / 42.0);
    trace_close(trace);
    fixture_destroy(f);
  }
}

/* The remedy where the construct is one that was to be kept. */
static void a_kept_construct_has_its_remedy(void **state)
{
  (void)state;
  static const char *const lists[] = {"x;!$omp for @a.c:2@0123+1-2", "!$omp fo@0123+1-2;a.c:3"};
  for (int i = 0; i < 2; i++) {
    struct fixture *f = fixture_create();
    const uint32_t regions[] = {fixture_openmp(f, "!$omp parallel @a.c:1", OTF2_REGION_ROLE_PARALLEL),
                                fixture_openmp(f, "!$omp for @a.c:2", OTF2_REGION_ROLE_LOOP),
                                fixture_openmp(f, "chunk @a.c:2", OTF2_REGION_ROLE_LOOP)};
    fixture_property(f, "HEDDLE::BUDGET", "5 %");
    fixture_property(f, "HEDDLE::ENV::HEDDLE_KEEP", lists[i]);
    uint32_t thread = fixture_location(f, "thread");
    fixture_recording(f, thread, 60000);
    live(f, thread, regions);
    struct error error;
    struct trace *trace = trace_open(fixture_finish(f), &error);
    struct overhead overhead;
    assert_true(trace && overhead_estimate(trace, &overhead, &error));
    char *text = overhead_sentence(trace, &overhead);
    assert_true(text && (strstr(text, "or record without --keep") != NULL) == (i == 0));
    free(text);
    trace_close(trace);
    fixture_destroy(f);
  }
}

static bool is_at(const char *place)
{
  const struct trace_region region = {
      .name = "omp_set_lock @a.c:42", .function = "solve", .file = "/x/src/a.c", .line = 42};
  return trace_region_is_at(&region, place, strlen(place));
}

static void places_are_lines_files_functions_and_names(void **state)
{
  (void)state;
  static const char *const good[] = {"a.c:42",  "src/a.c:42", "/x/src/a.c:42", "a.c:42-42",           "a.c:1-100",
                                     "src/a.c", "a.c",        "solve",         "omp_set_lock @a.c:42"};
  static const char *const bad[] = {"a.c:41",
                                    "a.c:4",
                                    "a.c:43-50",
                                    "a.c:42-",
                                    "a.c:-42",
                                    "a.c:",
                                    ":42",
                                    "c:42",
                                    "b.c:42",
                                    "rc/a.c",
                                    "solv",
                                    "omp_set_lock",
                                    "a.c:99999999999999999999",
                                    ""};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    if (!is_at(good[i]))
      fail_msg("%s is not found", good[i]);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (is_at(bad[i]))
      fail_msg("%s is found", bad[i]);
}

UNIT_TEST(overhead)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_dearest_thread_and_its_busiest_construct_are_named),
      cmocka_unit_test(a_budget_is_held_or_not),
      cmocka_unit_test(a_kept_construct_has_its_remedy),
      cmocka_unit_test(places_are_lines_files_functions_and_names),
      cmocka_unit_test(what_nobody_notices_is_not_looked_at),
      cmocka_unit_test(an_archive_of_another_tool_has_no_price),
      cmocka_unit_test(a_price_that_cannot_be_is_no_percentage),
      cmocka_unit_test(locks_and_tasks_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
