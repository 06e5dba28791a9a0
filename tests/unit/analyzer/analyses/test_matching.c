/* Imbalance: joining the pieces of threads to instances, in archives of all kinds. */
#include "tests/unit/analyzer/scene.h"
#include "tests/unit/analyzer/subjects.h"
#include "tests/unit/unit.h"

/* As Score-P writes it: fork, team, then PARALLEL on everybody; no chunks, no waiting part. */
static void as_score_p_writes_it(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  for (uint32_t t = 0; t < 2; t++) {
    uint64_t work = t == 0 ? 100 : 400;
    if (t == 0)
      fixture_fork(s.f, t, 0);
    fixture_team_begin(s.f, t, 10, s.team);
    fixture_enter(s.f, t, 10, s.parallel);
    fixture_enter(s.f, t, 10, s.loop);
    fixture_leave(s.f, t, 10 + work, s.loop);
    fixture_enter(s.f, t, 10 + work, s.barrier);
    fixture_leave(s.f, t, 410, s.barrier);
    fixture_leave(s.f, t, 410, s.parallel);
    fixture_team_end(s.f, t, 410, s.team);
    if (t == 0)
      fixture_join(s.f, t, 410);
  }
  struct analyzed a = analyze(s.f);
  const struct imbalance_construct *loop = &a.imbalance.constructs[s.loop];
  const struct imbalance_construct *region = &a.imbalance.constructs[s.parallel];
  assert_int_equal(loop->calls, 1);
  assert_int_equal(loop->busy_min, 100);
  assert_int_equal(loop->busy_max, 400);
  assert_int_equal(loop->wait, 300);
  assert_int_equal(region->calls, 1);
  assert_int_equal(region->busy_max, 400);
  assert_int_equal(region->elapsed, 410);
  assert_int_equal(region->late, 10);
  drop(&a);
}

/* No team events at all: the threads of the process are the team. */
static void without_teams(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t parallel = fixture_openmp(f, "!$omp parallel @a.c:1", ROLE(PARALLEL));
  uint32_t loop = fixture_openmp(f, "!$omp for @a.c:2", ROLE(LOOP));
  for (uint32_t t = 0; t < 2; t++)
    fixture_location(f, "thread");
  for (uint32_t t = 0; t < 2; t++) {
    for (uint64_t time = 0; time < 3000; time += 1000) {
      fixture_enter(f, t, time, parallel);
      fixture_enter(f, t, time, loop);
      fixture_leave(f, t, time + 200 + 400 * t, loop);
      fixture_leave(f, t, time + 600, parallel);
    }
  }
  struct analyzed a = analyze(f);
  const struct imbalance_construct *c = &a.imbalance.constructs[loop];
  assert_int_equal(c->calls, 3);
  assert_int_equal(c->threads, 2);
  assert_near(fine_total_ticks(c->imbalance), 600);
  assert_int_equal(a.imbalance.constructs[parallel].calls, 3);
  drop(&a);
}

/* Two nowait loops and a barrier: the first loop has no barrier of its own, and the fast thread runs ahead. */
static void nowait(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  uint32_t second = fixture_openmp(s.f, "!$omp for @a.c:5", ROLE(LOOP));
  uint64_t ends[2][2] = {{100, 1000}, {900, 1000}};
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, 0);
    fixture_enter(s.f, t, 0, s.loop);
    fixture_leave(s.f, t, ends[t][0], s.loop);
    fixture_enter(s.f, t, ends[t][0], second);
    fixture_leave(s.f, t, ends[t][1], second);
    cross_barrier(&s, t, ends[t][1], 1000);
    end_region(&s, t, 1000);
  }
  struct analyzed a = analyze(s.f);
  assert_near(fine_total_ticks(a.imbalance.constructs[s.loop].imbalance), 400);
  assert_int_equal(a.imbalance.constructs[s.loop].wait, 0);
  assert_near(fine_total_ticks(a.imbalance.constructs[second].imbalance), 400);
  /* ... but nobody waits: nothing is lost there. */
  assert_near(fine_total_ticks(a.imbalance.constructs[second].to_win), 0);
  assert_near(fine_total_ticks(a.imbalance.constructs[s.parallel].imbalance), 0);
  drop(&a);
}

/* A task executed in the barrier is work of the region, not waiting; the loop keeps its barrier. */
static void tasks_in_the_barrier(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  uint32_t task = fixture_openmp(s.f, "!$omp task @a.c:9", ROLE(TASK));
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, 0);
    fixture_enter(s.f, t, 0, s.loop);
    fixture_leave(s.f, t, 100 + 500 * t, s.loop);
    fixture_enter(s.f, t, 100 + 500 * t, s.barrier);
    fixture_enter(s.f, t, 100 + 500 * t, s.wait);
    if (t == 0) {
      fixture_enter(s.f, t, 150, task);
      fixture_leave(s.f, t, 450, task);
    }
    fixture_leave(s.f, t, 600, s.wait);
    fixture_leave(s.f, t, 600, s.barrier);
    end_region(&s, t, 600);
  }
  struct analyzed a = analyze(s.f);
  const struct imbalance_construct *loop = &a.imbalance.constructs[s.loop];
  assert_int_equal(loop->wait, 50 + 150);
  assert_near(fine_total_ticks(loop->imbalance), 250);
  assert_near(fine_total_ticks(loop->to_win), 100); /* the mean wait is less than the imbalance */
  assert_int_equal(find_wait(&a, s.loop, 0, 1)->ticks, 200);
  assert_int_equal(a.imbalance.constructs[s.parallel].busy_min, 400);
  drop(&a);
}

/* Inner teams of two, one after the other with the same members, in an outer team of two. */
static void nested(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  uint32_t inner = fixture_openmp(s.f, "!$omp parallel @a.c:20", ROLE(PARALLEL));
  uint32_t third = fixture_location(s.f, "worker");
  uint32_t inner_team = fixture_team(s.f, (const uint32_t[]){1, third}, 2);
  for (uint32_t t = 0; t < 2; t++)
    begin_region(&s, t, 0);
  for (uint64_t time = 100; time < 300; time += 100) {
    fixture_enter(s.f, 1, time, inner);
    fixture_fork(s.f, 1, time);
    fixture_team_begin(s.f, 1, time, inner_team);
    fixture_team_end(s.f, 1, time + 50, inner_team);
    fixture_join(s.f, 1, time + 50);
    fixture_leave(s.f, 1, time + 50, inner);
    fixture_team_begin(s.f, third, time + 20, inner_team);
    fixture_enter(s.f, third, time + 20, inner);
    fixture_leave(s.f, third, time + 50, inner);
    fixture_team_end(s.f, third, time + 50, inner_team);
  }
  for (uint32_t t = 0; t < 2; t++)
    end_region(&s, t, 400);
  struct analyzed a = analyze(s.f);
  assert_int_equal(a.imbalance.constructs[inner].calls, 2);
  assert_int_equal(a.imbalance.constructs[inner].incomplete, 0);
  assert_int_equal(a.imbalance.constructs[inner].busy_min, 60);
  assert_int_equal(a.imbalance.constructs[inner].busy_max, 100);
  assert_int_equal(a.imbalance.constructs[inner].late, 40);
  assert_int_equal(a.imbalance.constructs[s.parallel].calls, 1);
  assert_int_equal(a.imbalance.constructs[s.parallel].busy_max, 400);
  drop(&a);
}

/* A ring kept more regions of one thread than of the other: what there is of both still belongs together. */
static void first_regions_missing(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  for (uint32_t t = 0; t < 2; t++) {
    for (uint64_t k = t == 0 ? 0 : 6; k < 10; k++) {
      begin_region(&s, t, 1000 * k);
      fixture_enter(s.f, t, 1000 * k, s.loop);
      fixture_leave(s.f, t, 1000 * k + 100 + 100 * t, s.loop);
      cross_barrier(&s, t, 1000 * k + 100 + 100 * t, 1000 * k + 200);
      end_region(&s, t, 1000 * k + 200);
    }
  }
  struct analyzed a = analyze(s.f);
  const struct imbalance_construct *c = &a.imbalance.constructs[s.loop];
  assert_int_equal(c->calls, 10);
  assert_int_equal(c->incomplete, 6);
  assert_int_equal(c->by_thread[1].calls, 4);
  /* complete instances: max 200, mean 150; of the others it is not known how long the second thread worked */
  assert_int_equal(c->busy_max, 4 * 200);
  assert_near(fine_total_ticks(c->imbalance), 4 * 50);
  drop(&a);
}

/* Many more events than a batch, regions of very different length: all instances are matched. */
static void many_instances(void **state)
{
  (void)state;
  enum { REGIONS = 5000 };
  struct scene s = make_scene(3);
  uint64_t time = 0;
  double imbalance = 0;
  for (uint32_t k = 0; k < REGIONS; k++) {
    uint64_t work[3] = {k % 7, k % 11, k % 13};
    uint64_t longest = work[0] > work[1] ? work[0] : work[1];
    longest = work[2] > longest ? work[2] : longest;
    imbalance += (double)longest - (double)(work[0] + work[1] + work[2]) / 3;
    time = do_loop(&s, time, work) + k % 3;
  }
  struct analyzed a = analyze(s.f);
  const struct imbalance_construct *c = &a.imbalance.constructs[s.loop];
  assert_int_equal(c->calls, REGIONS);
  assert_int_equal(c->incomplete, 0);
  assert_int_equal(a.imbalance.constructs[s.parallel].calls, REGIONS);
  assert_near(fine_total_ticks(c->imbalance), imbalance);
  drop(&a);
}

/* If members arrive at the same moment, the member with the lowest number counts as the last. */
static void equals_arrive(void **state)
{
  (void)state;
  struct scene s = make_scene(3);
  uint64_t time = do_loop(&s, 0, (const uint64_t[]){100, 300, 300});
  do_loop(&s, time, (const uint64_t[]){200, 200, 100});
  struct analyzed a = analyze(s.f);
  const struct imbalance_thread *threads = a.imbalance.constructs[s.loop].by_thread;
  assert_int_equal(threads[0].last, 1);
  assert_int_equal(threads[1].last, 1);
  assert_int_equal(threads[2].last, 0);
  assert_int_equal(threads[1].waited_for, 200);
  drop(&a);
}

/*
 * More events than are read in a round, on threads that are far apart. One has nearly all events in the first part of
 * the run, another in the last. The result does not depend on who reads what when, to the last bit.
 */
static void any_number_of_workers(void **state)
{
  (void)state;
  enum { ALONE = 30000, TOGETHER = 300 };
  struct scene s = make_scene(3);
  uint32_t alone[3];
  for (uint32_t t = 0; t < 3; t++)
    alone[t] = fixture_team(s.f, &s.threads[t], 1);
  for (uint64_t i = 0; i < 3 * TOGETHER; i++) {
    do_loop(&s, 10000000 * i, (const uint64_t[]){100 + i % 7, 100 + i % 3, 100 + i % 5});
    uint32_t busy = (uint32_t)(i / TOGETHER);
    for (uint64_t k = 0, time = 10000000 * i + 1000; k < ALONE / TOGETHER; k++, time += 50) {
      fixture_team_begin(s.f, busy, time, alone[busy]);
      fixture_enter(s.f, busy, time, s.parallel);
      fixture_leave(s.f, busy, time + 30 + k % 11, s.parallel);
      fixture_team_end(s.f, busy, time + 30 + k % 11, alone[busy]);
    }
  }
  struct analyzed a = analyze(s.f);
  const struct imbalance_construct *parallel = &a.imbalance.constructs[s.parallel];
  assert_int_equal(parallel->calls, 3 * (ALONE + TOGETHER));
  assert_int_equal(parallel->incomplete, 0);
  assert_int_equal(a.imbalance.constructs[s.loop].calls, 3 * TOGETHER);
  for (unsigned workers = 1; workers < 6; workers += 2) {
    struct pool *pool = pool_create(workers);
    struct imbalance again;
    struct error error;
    assert_true(find_imbalance(a.trace, pool, &again, &error));
    size_t figures = offsetof(struct imbalance_construct, by_thread);
    assert_memory_equal(&again.constructs[s.parallel], parallel, figures);
    assert_memory_equal(again.constructs[s.parallel].by_thread, parallel->by_thread, 3 * sizeof *parallel->by_thread);
    assert_memory_equal(&again.constructs[s.loop], &a.imbalance.constructs[s.loop], figures);
    analysis_free(&imbalance_analysis, &again);
    pool_destroy(pool);
  }
  drop(&a);
}

UNIT_TEST(matching)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_score_p_writes_it), cmocka_unit_test(without_teams), cmocka_unit_test(nowait),
      cmocka_unit_test(tasks_in_the_barrier), cmocka_unit_test(nested),        cmocka_unit_test(first_regions_missing),
      cmocka_unit_test(many_instances),       cmocka_unit_test(equals_arrive), cmocka_unit_test(any_number_of_workers),
  };
  return cmocka_run_group_tests_name("matching", tests, NULL, NULL);
}
