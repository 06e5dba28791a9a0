/* Findings about locks, in hand-made archives whose losses are known to the digit. A tick is 1 us. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/analyzer/program.h"
#include "tests/unit/analyzer/scene.h"
#include "tests/unit/unit.h"

#include "base/count_of.h"

#include <string.h>

/* A critical section, and how it is in a scene. */
struct critical {
  uint32_t region, sblock;
};

static struct critical make_critical(const struct scene *s)
{
  return (struct critical){fixture_openmp(s->f, "!$omp critical @a.c:3", ROLE(CRITICAL)),
                           fixture_openmp(s->f, "!$omp critical sblock @a.c:3", ROLE(CRITICAL_SBLOCK))};
}

/* `rounds` times thread after thread has it, 25 ticks each, from `start` on; all ask for it as soon as they can. */
static void serialize(const struct scene *s, const struct critical *critical, uint32_t thread, uint64_t start,
                      uint32_t rounds)
{
  uint64_t asked = start;
  for (uint32_t k = 0; k < rounds; k++) {
    uint64_t got = start + 25 * (uint64_t)(k * s->count + thread);
    fixture_enter(s->f, thread, asked, critical->region);
    fixture_lock(s->f, thread, got, 5);
    fixture_enter(s->f, thread, got, critical->sblock);
    fixture_leave(s->f, thread, got + 25, critical->sblock);
    fixture_unlock(s->f, thread, got + 25, 5);
    fixture_leave(s->f, thread, got + 25, critical->region);
    asked = got + 25;
  }
}

/* Four threads share a loop whose iterations are critical: each works for 250 of 1000 ticks. */
static void lock_that_serializes_a_loop(void **state)
{
  (void)state;
  struct scene s = make_scene(4);
  struct critical critical = make_critical(&s);
  for (uint32_t t = 0; t < 4; t++) {
    begin_region(&s, t, 0);
    fixture_enter(s.f, t, 0, s.loop);
    fixture_chunk(s.f, t, 0, s.chunk, 10, 1);
    serialize(&s, &critical, t, 0, 10);
    fixture_leave(s.f, t, 900 + 25 * (t + 1), s.chunk);
    fixture_leave(s.f, t, 900 + 25 * (t + 1), s.loop);
    cross_barrier(&s, t, 900 + 25 * (t + 1), 1000);
    end_region(&s, t, 1000);
  }
  struct answer a = ask(s.f);
  assert_near(imbalance_efficiency(&a.all.results.imbalance->constructs[s.loop]), 0.25);
  assert_int_equal(a.all.findings.count, 1);
  expect_finding(&a, 0, FINDING_LOCK, critical.region, 750);
  assert_string_equal(
      a.all.findings.first,
      "Look first at !$omp critical @a.c:3: threads waited for it 39 times, "         /* the time: */
      "2.850 ms in total (71.2 % of all threads' time), at most 75.00 us at a time, " /* the gain: */
      "so up to 750.0 us (75.0 % of the run) could be won; do less while it is held, or use more locks.");
  dismiss(&a);
}

/* The same if three of four executions are not recorded: the sentence says what is an estimate. */
static void lock_of_a_place_with_omissions(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  struct critical critical = make_critical(&s);
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, 0);
    for (uint64_t k = 0; k < 10; k++) {
      uint64_t asked = 100 * k, got = asked + 50 + 2 * (k % 3);
      fixture_enter_weighted(s.f, t, asked, critical.region, k ? 4 : 1);
      fixture_lock(s.f, t, got, 5);
      fixture_enter(s.f, t, got, critical.sblock);
      fixture_leave(s.f, t, got + 1, critical.sblock);
      fixture_unlock(s.f, t, got + 1, 5);
      fixture_leave(s.f, t, got + 1, critical.region);
    }
    cross_barrier(&s, t, 1000, 1000);
    end_region(&s, t, 1000);
  }
  struct answer a = ask(s.f);
  assert_non_null(strstr(a.all.findings.first, "threads waited for it about 7"));
  assert_non_null(strstr(a.all.findings.first, " times, about 3."));
  assert_non_null(strstr(a.all.findings.first, " ms ±"));
  assert_non_null(strstr(a.all.findings.first, "% in total"));
  dismiss(&a);
}

/* The threads that have the lock one after the other, once: who comes last waited for all. */
static void lock_that_is_unfair(void **state)
{
  (void)state;
  struct scene s = make_scene(4);
  struct critical critical = make_critical(&s);
  for (uint32_t t = 0; t < 4; t++) {
    begin_region(&s, t, 0);
    serialize(&s, &critical, t, 0, 1);
    cross_barrier(&s, t, 25 * (t + 1), 100);
    end_region(&s, t, 100);
  }
  struct answer a = ask(s.f);
  assert_int_equal(a.all.findings.count, 1);
  expect_finding(&a, 0, FINDING_LOCK, critical.region, 75);
  dismiss(&a);
}

/* Each of four threads has it for 1 tick of 100, and gets it 99 late though no thread has it. This delay has other
 * reasons than the lock. */
static void lock_that_is_hardly_held(void **state)
{
  (void)state;
  static const char *const processors[] = {NULL, "1", "4"};
  for (size_t i = 0; i < 3; i++) {
    struct scene s = make_scene(4);
    struct critical critical = make_critical(&s);
    if (processors[i])
      fixture_property(s.f, "HEDDLE::PROCESSORS", processors[i]);
    for (uint32_t t = 0; t < 4; t++) {
      begin_region(&s, t, 0);
      for (uint64_t k = 0; k < 10; k++) {
        uint64_t got = 100 * k + 90 + t;
        fixture_enter(s.f, t, 100 * k, critical.region);
        fixture_lock(s.f, t, got, 5);
        fixture_enter(s.f, t, got, critical.sblock);
        fixture_leave(s.f, t, got + 1, critical.sblock);
        fixture_unlock(s.f, t, got + 1, 5);
        fixture_leave(s.f, t, got + 1, critical.region);
      }
      cross_barrier(&s, t, 991 + t, 1000);
      end_region(&s, t, 1000);
    }
    struct answer a = ask(s.f);
    assert_int_equal(first_of(&a)->kind, FINDING_LOCK);
    assert_says(a.all.findings.first, "it is held for 40.00 us in total: acquire it less often");
    assert_int_equal(strstr(a.all.findings.first, "4 share 1 processor, so its owner") != NULL, i == 1);
    assert_int_equal(strstr(a.all.findings.first, "processor") != NULL, i == 1);
    dismiss(&a);
  }
}

/* 600 ticks in which threads wait for a lock most of the time, then 400 of a loop that loses a quarter. */
static struct fixture *make_lock_and_loop(struct scene *s, struct critical *critical)
{
  static const uint64_t work[] = {400, 260, 260, 260};
  *s = make_scene(4);
  *critical = make_critical(s);
  for (uint32_t t = 0; t < 4; t++) {
    begin_region(s, t, 0);
    serialize(s, critical, t, 0, 6);
    cross_barrier(s, t, 525 + 25 * t, 600);
    fixture_enter(s->f, t, 600, s->loop);
    fixture_chunk(s->f, t, 600, s->chunk, 10, 1);
    fixture_leave(s->f, t, 600 + work[t], s->chunk);
    fixture_leave(s->f, t, 600 + work[t], s->loop);
    cross_barrier(s, t, 600 + work[t], 1000);
    end_region(s, t, 1000);
  }
  return s->f;
}

static void lock_before_imbalance(void **state)
{
  (void)state;
  struct scene s;
  struct critical critical;
  struct answer a = ask(make_lock_and_loop(&s, &critical));
  assert_int_equal(a.all.findings.count, 2);
  expect_finding(&a, 0, FINDING_LOCK, critical.region, 450);
  expect_finding(&a, 1, FINDING_IMBALANCE, s.loop, 105);
  assert_says(a.all.findings.list[1].text, "the slowest 400.0 us, so up to 105.0 us (10.5 % of the run) could be won");
  dismiss(&a);
}

/* The commands say the same, in text and in JSON, and so does the report. */
static void commands_agree(void **state)
{
  (void)state;
  static const char *const commands[] = {
      "imbalance",    "locks",        "schedule",        "waits",        "tasks", "imbalance --json",
      "locks --json", "waits --json", "schedule --json", "tasks --json", "why",   "why --json"};
  struct scene s;
  struct critical critical;
  static const char first[] = "Look first at !$omp critical @a.c:3: threads wait while others hold it";
  struct answer a = ask(make_lock_and_loop(&s, &critical));
  static struct outcome outcome;
  for (size_t i = 0; i < COUNT_OF(commands); i++) {
    run(&outcome, KEEP_OUTPUT, "%s %s", commands[i], a.directory);
    assert_int_equal(outcome.status, 0);
    assert_says(outcome.out, first);
  }
  run(&outcome, KEEP_OUTPUT, "report -o %s/report.html %s && grep -c '%s' %s/report.html", a.directory, a.directory,
      "\"Look first at !.omp critical @a.c:3: threads wait while others hold it", a.directory);
  assert_int_equal(outcome.status, 0);
  dismiss(&a);
}

/* Two threads of Java that use a monitor; one waits for half of the run: the mean of both. */
static void monitor_of_java(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t enter = fixture_region(f, "monitor enter @A.java:7", ROLE(CRITICAL), OTF2_PARADIGM_PTHREAD, 7);
  fixture_describe(f, enter, "state: blocked in mutex");
  struct fixture_object object = {fixture_class(f, "java.lang.Object"), 0x1f, 100, UINT32_MAX};
  for (uint32_t t = 0; t < 2; t++) {
    fixture_location(f, t == 0 ? "main" : "other");
    fixture_thread_type(f, t, "java");
    fixture_java_id(f, t, 100 + t);
    fixture_thread_begin(f, t, 0);
  }
  fixture_enter_object(f, 1, 100, enter, object);
  fixture_acquire(f, 1, 600);
  fixture_leave(f, 1, 600, enter);
  for (uint32_t t = 0; t < 2; t++)
    fixture_thread_end(f, t, 1000);
  struct answer a = ask(f);
  expect_finding(&a, 0, FINDING_LOCK, enter, 250);
  assert_says(a.all.findings.first,
              "Look first at monitor java.lang.Object@1f at monitor enter @A.java:7: threads waited "
              "for it once, 500.0 us in total (25.0 % of all threads' time)");
  dismiss(&a);
}

UNIT_TEST(findings_locks)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lock_that_serializes_a_loop),
      cmocka_unit_test(lock_of_a_place_with_omissions),
      cmocka_unit_test(lock_that_is_unfair),
      cmocka_unit_test(lock_that_is_hardly_held),
      cmocka_unit_test(lock_before_imbalance),
      cmocka_unit_test(commands_agree),
      cmocka_unit_test(monitor_of_java),
  };
  return cmocka_run_group_tests_name("findings_locks", tests, NULL, NULL);
}
