/* Findings about tasks and about work that waits for other work, in hand-made archives. A tick is 1 us. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/analyzer/scene.h"
#include "tests/unit/unit.h"

#include "base/count_of.h"

#include <string.h>

/* The regions of a scene whose thread 0 works in a single for 1000 ticks, while others execute its tasks. */
struct maker {
  struct scene s;
  uint32_t single, block, task;
};

static struct maker make_maker(uint32_t threads)
{
  struct maker m = {.s = make_scene(threads)};
  m.single = fixture_openmp(m.s.f, "!$omp single @a.c:5", ROLE(SINGLE));
  m.block = fixture_openmp(m.s.f, "!$omp single sblock @a.c:5", ROLE(SINGLE_SBLOCK));
  m.task = fixture_openmp(m.s.f, "!$omp task @a.c:6", ROLE(TASK));
  return m;
}

/* Thread 1 executes the tasks, `work` ticks each, evenly spread. */
static struct answer ask_maker(const struct maker *m, uint32_t tasks, uint64_t work)
{
  const struct scene *s = &m->s;
  for (uint32_t t = 0; t < s->count; t++) {
    begin_region(s, t, 0);
    fixture_enter(s->f, t, 0, m->single);
    if (t == 0) {
      fixture_enter(s->f, t, 0, m->block);
      for (uint32_t k = 0; k < tasks; k++)
        fixture_create_task(s->f, t, 1000 / tasks * k, (struct fixture_task){s->team, k + 1, false, 0});
      fixture_leave(s->f, t, 1000, m->block);
    }
    fixture_leave(s->f, t, t == 0 ? 1000 : 0, m->single);
    fixture_enter(s->f, t, t == 0 ? 1000 : 0, s->barrier);
    fixture_enter(s->f, t, t == 0 ? 1000 : 0, s->wait);
    for (uint32_t k = 0; t == 1 && k < tasks; k++) {
      fixture_enter(s->f, t, 1000 / tasks * k, m->task);
      fixture_leave(s->f, t, 1000 / tasks * k + work, m->task);
    }
    fixture_leave(s->f, t, 1000, s->wait);
    fixture_leave(s->f, t, 1000, s->barrier);
    end_region(s, t, 1000);
  }
  return ask(s->f);
}

/* 100 tasks of 2 us: 4 threads lose 2800 us for them. */
static void tasks_that_are_too_small(void **state)
{
  (void)state;
  struct maker m = make_maker(4);
  struct answer a = ask_maker(&m, 100, 2);
  assert_int_equal(a.all.findings.count, 1);
  expect_finding(&a, 0, FINDING_SMALL_TASKS, m.s.parallel, 700);
  assert_says(a.all.findings.first, "its 100 tasks do 2.000 us of work each, and its threads lose 28.00 us for each");
  assert_null(strstr(a.all.findings.first, "make its work tasks"));
  dismiss(&a);
}

/* 500 tasks of 0 us elsewhere say nothing of three tasks of 200 us. */
static void large_tasks_beside_many_small_ones(void **state)
{
  (void)state;
  struct maker m = make_maker(2);
  uint32_t other = fixture_openmp(m.s.f, "!$omp parallel @a.c:8", ROLE(PARALLEL));
  for (uint32_t k = 0; k < 500; k++) {
    fixture_enter(m.s.f, 0, 0, other);
    fixture_create_task(m.s.f, 0, 0, (struct fixture_task){m.s.team, 1000 + k, false, 0});
    fixture_enter(m.s.f, 0, 0, m.task);
    fixture_leave(m.s.f, 0, 0, m.task);
    fixture_leave(m.s.f, 0, 0, other);
  }
  struct answer a = ask_maker(&m, 3, 200);
  expect_finding(&a, 0, FINDING_FEW_TASKS, m.s.parallel, 200);
  dismiss(&a);
}

/* One task of half the time: the single makes tasks already. */
static void single_that_makes_tasks(void **state)
{
  (void)state;
  struct maker m = make_maker(2);
  struct answer a = ask_maker(&m, 1, 500);
  assert_int_equal(a.all.findings.count, 1);
  expect_finding(&a, 0, FINDING_FEW_TASKS, m.s.parallel, 250);
  assert_null(strstr(a.all.findings.first, "make its work tasks"));
  dismiss(&a);
}

static void single_without_tasks(void **state)
{
  (void)state;
  struct maker m = make_maker(2);
  const struct scene *s = &m.s;
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(s, t, 0);
    fixture_enter(s->f, t, 0, m.single);
    if (t == 0) {
      fixture_enter(s->f, t, 0, m.block);
      fixture_leave(s->f, t, 1000, m.block);
    }
    fixture_leave(s->f, t, t == 0 ? 1000 : 0, m.single);
    cross_barrier(s, t, t == 0 ? 1000 : 0, 1000);
    end_region(s, t, 1000);
  }
  struct answer a = ask(s->f);
  assert_int_equal(a.all.findings.count, 1);
  expect_finding(&a, 0, FINDING_IMBALANCE, m.single, 500);
  assert_says(a.all.findings.first, "make its work tasks");
  dismiss(&a);
}

/* Ten tasks of 100 us, each after the one before, on two threads in turn; so many have dependences, all have weights.
 */
static struct answer ask_in_turn(const struct maker *m, uint32_t dependent)
{
  const struct scene *s = &m->s;
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(s, t, 0);
    for (uint32_t k = 0; t == 0 && k < 10; k++)
      fixture_create_task(s->f, t, 0, (struct fixture_task){s->team, k + 1, k < dependent, 1});
    fixture_enter(s->f, t, 0, s->barrier);
    fixture_enter(s->f, t, 0, s->wait);
    for (uint32_t k = t; k < 10; k += 2) {
      fixture_enter(s->f, t, 100 * (uint64_t)k, m->task);
      fixture_leave(s->f, t, 100 * (uint64_t)k + 100, m->task);
    }
    fixture_leave(s->f, t, 1000, s->wait);
    fixture_leave(s->f, t, 1000, s->barrier);
    end_region(s, t, 1000);
  }
  return ask(s->f);
}

static void tasks_that_wait_for_each_other(void **state)
{
  (void)state;
  struct maker m = make_maker(2);
  struct answer a = ask_in_turn(&m, 10);
  assert_int_equal(a.all.findings.count, 1);
  expect_finding(&a, 0, FINDING_CHAIN, m.s.parallel, 500);
  assert_says(a.all.findings.first,
              "its tasks wait for each other (10 of 10 have dependences), and 1.0 of its 2 threads "
              "work on average");
  dismiss(&a);
}

/* Half of the tasks must have dependences to be called a chain; attributes of other meaning are none. */
static void attributes_are_not_always_dependences(void **state)
{
  (void)state;
  static const struct {
    uint32_t dependent;
    enum finding_kind kind;
  } cases[] = {{0, FINDING_FEW_TASKS}, {4, FINDING_FEW_TASKS}, {5, FINDING_CHAIN}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct maker m = make_maker(2);
    struct answer a = ask_in_turn(&m, cases[i].dependent);
    assert_int_equal(a.all.results.imbalance->constructs[m.s.parallel].tasks, 10);
    assert_int_equal(a.all.results.imbalance->constructs[m.s.parallel].dependent, cases[i].dependent);
    assert_int_equal(first_of(&a)->kind, cases[i].kind);
    dismiss(&a);
  }
}

/* The iterations of two threads in turn, 100 us each: thread 1 waits for 500 us, thread 0 for 400 and at the end. */
static void iterations_that_wait_for_each_other(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  uint32_t ordered = fixture_openmp(s.f, "!$omp ordered @a.c:4", ROLE(ORDERED));
  uint32_t block = fixture_openmp(s.f, "!$omp ordered sblock @a.c:4", ROLE(ORDERED_SBLOCK));
  for (uint32_t t = 0; t < 2; t++) {
    uint64_t asked = 0;
    begin_region(&s, t, 0);
    for (uint32_t k = t; k < 10; k += 2) {
      fixture_enter(s.f, t, asked, ordered);
      fixture_enter(s.f, t, 100 * (uint64_t)k, block);
      fixture_leave(s.f, t, asked = 100 * (uint64_t)k + 100, block);
      fixture_leave(s.f, t, asked, ordered);
    }
    cross_barrier(&s, t, asked, 1000);
    end_region(&s, t, 1000);
  }
  struct answer a = ask(s.f);
  assert_int_equal(a.all.findings.count, 1);
  expect_finding(&a, 0, FINDING_CHAIN, ordered, 500);
  assert_says(a.all.findings.first, "iterations wait for each other, 900.0 us in total");
  dismiss(&a);
}

UNIT_TEST(findings_tasks)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tasks_that_are_too_small),
      cmocka_unit_test(large_tasks_beside_many_small_ones),
      cmocka_unit_test(single_that_makes_tasks),
      cmocka_unit_test(single_without_tasks),
      cmocka_unit_test(tasks_that_wait_for_each_other),
      cmocka_unit_test(attributes_are_not_always_dependences),
      cmocka_unit_test(iterations_that_wait_for_each_other),
  };
  return cmocka_run_group_tests_name("findings_tasks", tests, NULL, NULL);
}
