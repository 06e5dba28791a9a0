/* Findings about regions, serial parts and the measurement, in hand-made archives. A tick is 1 us. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/analyzer/program.h"
#include "tests/unit/analyzer/scene.h"
#include "tests/unit/unit.h"

#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <string.h>

/* Threads 2 and 3 begin after 500 ticks, when 0 and 1 are done. */
static struct answer ask_crowd(const char *processors, uint32_t *region)
{
  struct scene s = make_scene(4);
  if (processors)
    fixture_property(s.f, "HEDDLE::PROCESSORS", processors);
  for (uint32_t t = 0; t < 4; t++) {
    uint64_t begin = t < 2 ? 0 : 500;
    begin_region(&s, t, begin);
    cross_barrier(&s, t, begin + 500, 1000);
    end_region(&s, t, 1000);
  }
  *region = s.parallel;
  return ask(s.f);
}

static void more_threads_than_processors(void **state)
{
  (void)state;
  uint32_t region;
  struct answer a = ask_crowd("2", &region);
  assert_int_equal(a.all.findings.count, 1);
  expect_finding(&a, 0, FINDING_PROCESSORS, region, 500);
  assert_says(a.all.findings.first, "its team has 4 threads, but the process may use 2 processors. 500.0 us pass");
  assert_says(a.all.findings.first, "; try 2 threads.");
  dismiss(&a);
  static const char *const others[] = {NULL, "4"};
  for (size_t i = 0; i < 2; i++) { /* it is not known, or not so: then threads are late, and nobody guesses why */
    a = ask_crowd(others[i], &region);
    assert_int_equal(a.all.findings.count, 1);
    expect_finding(&a, 0, FINDING_LATE, region, 500);
    assert_null(strstr(a.all.findings.first, "processor"));
    dismiss(&a);
  }
}

/* 100 executions of 60 us. Thread 0 works 8 us of each, and so does thread 1, which also comes 40 us late. */
static void region_that_is_too_small(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  for (uint64_t k = 0; k < 100; k++)
    for (uint32_t t = 0; t < 2; t++) {
      begin_region(&s, t, 60 * k + 40 * t);
      cross_barrier(&s, t, 60 * k + 40 * t + 8, 60 * k + 60);
      end_region(&s, t, 60 * k + 60);
    }
  struct answer a = ask(s.f);
  assert_int_equal(a.all.findings.count, 1);
  expect_finding(&a, 0, FINDING_SMALL_REGION, s.parallel, 5200);
  assert_says(a.all.findings.first,
              "each of its 100 executions takes 60.00 us on average for 8.000 us of work a thread");
  dismiss(&a);
}

/* The same losses in executions that do much: no reason to merge them. */
static void region_that_is_large_enough(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  for (uint64_t k = 0; k < 100; k++)
    for (uint32_t t = 0; t < 2; t++) {
      begin_region(&s, t, 1000 * k + 40 * t);
      cross_barrier(&s, t, 1000 * k + 40 * t + 948, 1000 * k + 1000);
      end_region(&s, t, 1000 * k + 1000);
    }
  struct answer a = ask(s.f);
  expect_finding(&a, 0, FINDING_LATE, s.parallel, 4000);
  assert_false(has_kind(&a, FINDING_SMALL_REGION));
  dismiss(&a);
}

/* 5 of 1000 ticks: named, but not as something to do; and what Heddle does not see is said. */
static void nothing_below_one_percent(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  do_loop(&s, 0, (const uint64_t[]){1000, 990});
  struct answer a = ask(s.f);
  assert_int_equal(a.all.findings.count, 0);
  assert_string_equal(
      a.all.findings.first,
      "Nothing stands out: the most that could be won is 5.000 us, 0.5 % of the run, at !$omp for @a.c:2. Heddle does "
      "not "
      "record waits for locks of pthreads, C++ and other libraries, for MPI, for input and output. They count as "
      "work.");
  dismiss(&a);
}

/* Exactly one percent is worth a sentence. */
static void something_from_one_percent_on(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  do_loop(&s, 0, (const uint64_t[]){1000, 980});
  struct answer a = ask(s.f);
  assert_int_equal(a.all.findings.count, 1);
  expect_finding(&a, 0, FINDING_IMBALANCE, s.loop, 10);
  dismiss(&a);
}

static void nothing_at_all(void **state)
{
  (void)state;
  struct scene s = make_scene(1);
  do_loop(&s, 0, (const uint64_t[]){500});
  struct answer a = ask(s.f);
  assert_int_equal(a.all.findings.count, 0);
  assert_says(a.all.findings.first,
              "no construct was executed by more than one thread, and no thread waited for a lock");
  assert_says(a.all.findings.first, "pthreads");
  assert_says(a.all.findings.first, "MPI");
  static struct outcome outcome;
  run(&outcome, KEEP_OUTPUT, "locks %s", a.directory);
  assert_says(outcome.out, "No thread waited for a lock of OpenMP or Java. Heddle records neither locks of pthreads");
  assert_says(outcome.out, "MPI");
  dismiss(&a);
}

/* JOMP calls its threads 0, 1, ... */
static void thread_with_a_number_as_its_name(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  fixture_thread_name(s.f, 0, "0");
  fixture_thread_begin(s.f, 0, 0);
  do_loop(&s, 800, (const uint64_t[]){200, 200});
  struct answer a = ask(s.f);
  assert_says(a.all.findings.first, "the serial part: thread \"0\" works alone for 800.0 us");
  dismiss(&a);
}

/* Alone for 800 of 1000 ticks: two threads could do that in 400. */
static void serial_part(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  fixture_thread_begin(s.f, 0, 0);
  do_loop(&s, 800, (const uint64_t[]){200, 200});
  struct answer a = ask(s.f);
  expect_finding(&a, 0, FINDING_SERIAL, TRACE_NONE, 400);
  assert_int_equal(first_of(&a)->location, 0);
  assert_says(a.all.findings.first,
              "master works alone for 800.0 us outside of parallel regions, " /* the gain: */ "so up to 400.0 us "
              "(40.0 % of the run) could be won if 2 threads shared it");
  dismiss(&a);
}

/* What a part of the run has of its serial part: 800 ticks before a region, 500 after it, 100 in a loop among them. */
static void serial_part_of_a_part(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  fixture_thread_begin(s.f, 0, 0);
  uint64_t end = do_loop(&s, 800, (const uint64_t[]){200, 200});
  fixture_enter(s.f, 0, end + 100, s.loop); /* its state is decided at its end */
  fixture_leave(s.f, 0, end + 200, s.loop);
  fixture_thread_end(s.f, 0, end + 500);
  struct answer a = ask(s.f);
  static const struct {
    uint64_t from, to, alone;
  } parts[] = {{0, UINT64_MAX, 1300}, {0, 1501, 1300}, {1, 801, 799},    {300, 700, 400},  {300, 900, 500},
               {750, 1200, 250},      {800, 1000, 0},  {850, 950, 0},    {950, 1150, 150}, {1100, 1200, 100},
               {1120, 1150, 30},      {1500, 1501, 0}, {850, 1400, 400}, {0, 850, 800}};
  assert_int_equal(end, 1000);
  expect_finding(&a, 0, FINDING_SERIAL, TRACE_NONE, 650);
  for (size_t i = 0; i < COUNT_OF(parts); i++) {
    ask_part(&a, parts[i].from, parts[i].to);
    assert_int_equal(a.all.results.imbalance->alone[0], parts[i].alone);
    assert_int_equal(a.all.results.imbalance->alone[1], 0);
    assert_int_equal(has_kind(&a, FINDING_SERIAL), parts[i].alone > 0);
    if (parts[i].alone > 0)
      assert_near(first_of(&a)->ticks, (double)parts[i].alone / 2);
  }
  for (uint64_t border = 1; border < 1500; border += 17) {
    ask_part(&a, 0, border);
    uint64_t before = a.all.results.imbalance->alone[0];
    ask_part(&a, border, UINT64_MAX);
    assert_int_equal(before + a.all.results.imbalance->alone[0], 1300);
  }
  dismiss(&a);
}

/* A thread that forks nothing and stays in one state: where its team begins and ends is seen all the same. */
static void a_team_without_a_fork_is_not_alone(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  fixture_thread_begin(s.f, 0, 0);
  for (uint64_t at = 100; at < 500; at += 200) {
    fixture_team_begin(s.f, 0, at, s.team);
    fixture_team_end(s.f, 0, at + 100, s.team);
  }
  fixture_thread_end(s.f, 0, 500);
  struct answer a = ask(s.f);
  assert_int_equal(a.all.results.imbalance->alone[0], 300);
  ask_part(&a, 50, 350);
  assert_int_equal(a.all.results.imbalance->alone[0], 150);
  ask_part(&a, 150, 450);
  assert_int_equal(a.all.results.imbalance->alone[0], 150);
  dismiss(&a);
}

/* Where not all threads of a process are looked at, nobody knows whether one worked alone. */
static void serial_part_of_some_threads(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  uint32_t other = fixture_location(s.f, "another process");
  fixture_thread_type(s.f, other, "initial");
  fixture_process(s.f, other, 1);
  fixture_thread_begin(s.f, other, 0);
  fixture_thread_end(s.f, other, 100);
  fixture_thread_begin(s.f, 0, 0);
  do_loop(&s, 800, (const uint64_t[]){200, 200});
  struct answer a = ask(s.f);
  expect_finding(&a, 0, FINDING_SERIAL, TRACE_NONE, 400);
  ask_without(&a, other);
  expect_finding(&a, 0, FINDING_SERIAL, TRACE_NONE, 400);
  ask_without(&a, 1);
  assert_int_equal(a.all.results.imbalance->alone[0], 800);
  assert_false(has_kind(&a, FINDING_SERIAL));
  dismiss(&a);
}

/* 100 of a thread's 1000 ms are recording's own. */
static void measurement(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  fixture_recording(s.f, 0, 100000);
  do_loop(&s, 0, (const uint64_t[]){1000000, 1000000});
  struct answer a = ask(s.f);
  assert_int_equal(a.all.findings.count, 1);
  assert_int_equal(first_of(&a)->kind, FINDING_MEASUREMENT);
  assert_near(first_of(&a)->ticks, 100000);
  assert_says(a.all.findings.first, "Look first at the measurement: recording has likely slowed master down by 11 %");
  dismiss(&a);
}

/* What it cost each thread is known; in which part of the thread's life is not. */
static void measurement_of_a_part(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  fixture_recording(s.f, 0, 100000);
  fixture_recording(s.f, 1, 90000);
  do_loop(&s, 0, (const uint64_t[]){1000000, 1000000});
  struct answer a = ask(s.f);
  expect_finding(&a, 0, FINDING_MEASUREMENT, s.parallel, 100000);
  ask_without(&a, 0);
  assert_int_equal(a.all.results.overhead->location, 1);
  expect_finding(&a, 0, FINDING_MEASUREMENT, s.parallel, 90000);
  ask_part(&a, 0, 900000);
  assert_int_equal(a.all.results.overhead->location, TRACE_NONE);
  assert_false(has_kind(&a, FINDING_MEASUREMENT));
  dismiss(&a);
}

/* Two threads fork teams that lose 100 of 400 ticks each, side by side: the run can win 100. */
static void regions_side_by_side(void **state)
{
  (void)state;
  struct scene s = make_scene(4);
  uint32_t teams[2] = {fixture_team(s.f, (const uint32_t[]){0, 1}, 2), fixture_team(s.f, (const uint32_t[]){2, 3}, 2)};
  for (uint32_t t = 0; t < 4; t++) {
    uint64_t work = t % 2 == 0 ? 400 : 200;
    if (t % 2 == 0) {
      fixture_enter(s.f, t, 0, s.parallel);
      fixture_fork(s.f, t, 0);
    }
    fixture_team_begin(s.f, t, 0, teams[t / 2]);
    if (t % 2 == 1)
      fixture_enter(s.f, t, 0, s.parallel);
    cross_barrier(&s, t, work, 400);
    if (t % 2 == 1)
      fixture_leave(s.f, t, 400, s.parallel);
    fixture_team_end(s.f, t, 400, teams[t / 2]);
    if (t % 2 == 0) {
      fixture_join(s.f, t, 400);
      fixture_leave(s.f, t, 400, s.parallel);
    }
  }
  struct answer a = ask(s.f);
  assert_int_equal(a.all.findings.count, 1);
  expect_finding(&a, 0, FINDING_IMBALANCE, s.parallel, 100);
  assert_near(first_of(&a)->percent, 25);
  dismiss(&a);
}

/*
 * Thread 0 of an outer team {0, 1} forks {0, 2} and waits there for 300 of 400 ticks, and thread 1 waits for it. The
 * nested region loses 150 of the 300 ticks that the outer one has without work.
 */
static void region_in_a_region(void **state)
{
  (void)state;
  struct scene s = make_scene(3);
  uint32_t outer = fixture_team(s.f, (const uint32_t[]){0, 1}, 2),
           inner = fixture_team(s.f, (const uint32_t[]){0, 2}, 2);
  uint32_t nested = fixture_openmp(s.f, "!$omp parallel @a.c:9", ROLE(PARALLEL));
  fixture_enter(s.f, 0, 0, s.parallel);
  fixture_fork(s.f, 0, 0);
  fixture_team_begin(s.f, 0, 0, outer);
  fixture_enter(s.f, 0, 0, nested);
  fixture_fork(s.f, 0, 0);
  fixture_team_begin(s.f, 0, 0, inner);
  cross_barrier(&s, 0, 100, 400);
  fixture_team_end(s.f, 0, 400, inner);
  fixture_join(s.f, 0, 400);
  fixture_leave(s.f, 0, 400, nested);
  cross_barrier(&s, 0, 400, 400);
  fixture_team_end(s.f, 0, 400, outer);
  fixture_join(s.f, 0, 400);
  fixture_leave(s.f, 0, 400, s.parallel);
  fixture_team_begin(s.f, 1, 0, outer);
  fixture_enter(s.f, 1, 0, s.parallel);
  cross_barrier(&s, 1, 100, 400);
  fixture_leave(s.f, 1, 400, s.parallel);
  fixture_team_end(s.f, 1, 400, outer);
  fixture_team_begin(s.f, 2, 0, inner);
  fixture_enter(s.f, 2, 0, nested);
  cross_barrier(&s, 2, 400, 400);
  fixture_leave(s.f, 2, 400, nested);
  fixture_team_end(s.f, 2, 400, inner);
  struct answer a = ask(s.f);
  assert_int_equal(a.all.results.imbalance->constructs[nested].parallel, s.parallel);
  assert_int_equal(a.all.findings.count, 2);
  expect_finding(&a, 0, FINDING_IMBALANCE, nested, 150);
  expect_finding(&a, 1, FINDING_WAITING, s.parallel, 150);
  dismiss(&a);
}

/* A loop of 1000 ticks, and what readings say of thread 1: without a processor for 600 ticks, while it waits first. */
static struct answer ask_read(const uint64_t *work)
{
  static const char *const names[] = {NAME_METRIC_OFF, "ready", "since"};
  struct scene s = make_scene(2);
  fixture_archive_property(s.f, ARCHIVE_READINGS, "1");
  fixture_counters(s.f, names, COUNT_OF(names));
  do_loop(&s, 0, work);
  fixture_count(s.f, 1, 1000, (const uint64_t[]){600000, 0, 1000});
  return ask(s.f);
}

/* Readings have a thread's time without a processor, which counts as work otherwise: no other schedule wins this
 * time. */
static void what_was_no_work_is_not_uneven(void **state)
{
  (void)state;
  struct answer a = ask_read((const uint64_t[]){400, 1000});
  assert_int_equal(a.all.findings.count, 1);
  assert_int_equal(first_of(&a)->kind, FINDING_OFF);
  assert_near(first_of(&a)->ticks, 600);
  dismiss(&a);
  a = ask_read((const uint64_t[]){0, 1000}); /* 400 of 1000 ticks were work: uneven by 200 */
  assert_int_equal(a.all.findings.count, 2);
  assert_near(a.all.findings.list[1].ticks, 200);
  assert_int_equal(a.all.findings.list[1].kind, FINDING_IMBALANCE);
  assert_says(a.all.findings.list[1].text, "the slowest 1.000 ms, 300.0 us of the difference without a processor, so");
  dismiss(&a);
  a = ask_read((const uint64_t[]){1000, 500}); /* the slowest had its processor */
  assert_int_equal(a.all.findings.count, 2);
  expect_finding(&a, 0, FINDING_IMBALANCE, first_of(&a)->region, 250);
  assert_null(strstr(first_of(&a)->text, "without a processor"));
  assert_near(a.all.findings.list[1].ticks, 100);
  dismiss(&a);
}

/* The only thread outside of teams works for 800 of 1400 ticks. */
static void what_was_no_work_is_not_serial(void **state)
{
  (void)state;
  static const char *const names[] = {NAME_METRIC_OFF, "ready", "since"};
  struct scene s = make_scene(2);
  fixture_archive_property(s.f, ARCHIVE_READINGS, "1");
  fixture_counters(s.f, names, COUNT_OF(names));
  fixture_thread_begin(s.f, 0, 0);
  do_loop(&s, 1400, (const uint64_t[]){200, 200});
  fixture_count(s.f, 0, 1600, (const uint64_t[]){600000, 0, 1600});
  struct answer a = ask(s.f);
  expect_finding(&a, 0, FINDING_OFF, TRACE_NONE, 600);
  expect_finding(&a, 1, FINDING_SERIAL, TRACE_NONE, 400);
  dismiss(&a);
}

UNIT_TEST(findings)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(more_threads_than_processors),
      cmocka_unit_test(region_that_is_too_small),
      cmocka_unit_test(region_that_is_large_enough),
      cmocka_unit_test(nothing_below_one_percent),
      cmocka_unit_test(something_from_one_percent_on),
      cmocka_unit_test(nothing_at_all),
      cmocka_unit_test(serial_part),
      cmocka_unit_test(thread_with_a_number_as_its_name),
      cmocka_unit_test(serial_part_of_a_part),
      cmocka_unit_test(a_team_without_a_fork_is_not_alone),
      cmocka_unit_test(serial_part_of_some_threads),
      cmocka_unit_test(measurement),
      cmocka_unit_test(measurement_of_a_part),
      cmocka_unit_test(regions_side_by_side),
      cmocka_unit_test(region_in_a_region),
      cmocka_unit_test(what_was_no_work_is_not_uneven),
      cmocka_unit_test(what_was_no_work_is_not_serial),
  };
  return cmocka_run_group_tests_name("findings", tests, NULL, NULL);
}
