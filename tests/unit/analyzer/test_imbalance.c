/* Imbalance: hand-made archives with known answers. */
#include "tests/unit/analyzer/fixture.h"

#include "analyzer/imbalance/imbalance.h"
#include "analyzer/imbalance/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

#define ROLE(name) OTF2_REGION_ROLE_##name

/* An archive as it is analyzed. */
struct analyzed {
  struct fixture *fixture;
  struct trace *trace;
  struct pool *pool;
  struct imbalance imbalance;
};

static struct analyzed analyze(struct fixture *fixture)
{
  struct analyzed a = {.fixture = fixture};
  struct trace_error error;
  a.trace = trace_open(fixture_finish(fixture), &error);
  if (!a.trace)
    fail_msg("%s", error.message);
  a.pool = pool_create(2);
  if (!imbalance_analyze(a.trace, a.pool, true, &a.imbalance, &error))
    fail_msg("%s", error.message);
  return a;
}

static void drop(struct analyzed *a)
{
  imbalance_free(&a->imbalance);
  pool_destroy(a->pool);
  trace_close(a->trace);
  fixture_destroy(a->fixture);
}

static void assert_near(double value, double expected)
{
  if (value < expected - 1e-9 || value > expected + 1e-9)
    fail_msg("%.12g is not %.12g", value, expected);
}

static const struct imbalance_wait *find_wait(const struct analyzed *a, uint32_t region, uint32_t waiter, uint32_t last)
{
  for (size_t i = 0; i < a->imbalance.wait_count; i++) {
    const struct imbalance_wait *wait = &a->imbalance.waits[i];
    if (wait->region == region && wait->waiter == waiter && wait->last == last)
      return wait;
  }
  return NULL;
}

/* The regions that the tests use, and threads in one team. */
struct scene {
  struct fixture *f;
  uint32_t threads[8], team, count;
  uint32_t parallel, loop, chunk, barrier, wait;
};

static struct scene make_scene(uint32_t count)
{
  struct scene s = {.f = fixture_create(), .count = count};
  for (uint32_t i = 0; i < count; i++) {
    s.threads[i] = fixture_location(s.f, i == 0 ? "master" : "worker");
    fixture_thread_type(s.f, i, i == 0 ? "initial" : "worker");
  }
  s.team = fixture_team(s.f, s.threads, count);
  s.parallel = fixture_openmp(s.f, "!$omp parallel @a.c:1", ROLE(PARALLEL));
  s.loop = fixture_openmp(s.f, "!$omp for @a.c:2", ROLE(LOOP));
  fixture_describe(s.f, s.loop, "schedule: static");
  s.chunk = fixture_openmp(s.f, "chunk @a.c:2", ROLE(LOOP));
  s.barrier = fixture_openmp(s.f, "!$omp implicit barrier @a.c:2", ROLE(IMPLICIT_BARRIER));
  s.wait = fixture_openmp(s.f, "!$omp implicit barrier wait @a.c:2", ROLE(IMPLICIT_BARRIER));
  return s;
}

static void begin_region(const struct scene *s, uint32_t thread, uint64_t time)
{
  if (thread == 0) {
    fixture_enter(s->f, thread, time, s->parallel);
    fixture_fork(s->f, thread, time);
    fixture_team_begin(s->f, thread, time, s->team);
  } else {
    fixture_team_begin(s->f, thread, time, s->team);
    fixture_enter(s->f, thread, time, s->parallel);
  }
}

static void end_region(const struct scene *s, uint32_t thread, uint64_t time)
{
  if (thread == 0) {
    fixture_team_end(s->f, thread, time, s->team);
    fixture_join(s->f, thread, time);
    fixture_leave(s->f, thread, time, s->parallel);
  } else {
    fixture_leave(s->f, thread, time, s->parallel);
    fixture_team_end(s->f, thread, time, s->team);
  }
}

static void cross_barrier(const struct scene *s, uint32_t thread, uint64_t arrival, uint64_t release)
{
  fixture_enter(s->f, thread, arrival, s->barrier);
  fixture_enter(s->f, thread, arrival, s->wait);
  fixture_leave(s->f, thread, release, s->wait);
  fixture_leave(s->f, thread, release, s->barrier);
}

/* One region from `start` on, in which thread t works work[t] in a loop of one chunk; then its barrier. */
static uint64_t do_loop(const struct scene *s, uint64_t start, const uint64_t *work)
{
  uint64_t longest = 0;
  for (uint32_t t = 0; t < s->count; t++)
    longest = work[t] > longest ? work[t] : longest;
  for (uint32_t t = 0; t < s->count; t++) {
    begin_region(s, t, start);
    fixture_enter(s->f, t, start, s->loop);
    fixture_chunk(s->f, t, start, s->chunk, work[t] / 10, 1);
    fixture_leave(s->f, t, start + work[t], s->chunk);
    fixture_leave(s->f, t, start + work[t], s->loop);
    cross_barrier(s, t, start + work[t], start + longest);
    end_region(s, t, start + longest);
  }
  return start + longest;
}

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
    assert_near(c->busy_mean, 250);
    assert_near(c->imbalance, 150);
    assert_near(imbalance_percent(c), 100.0 * 150 / 400 * 4 / 3);
    assert_near(imbalance_load_balance(c), 0.625);
    assert_near(imbalance_efficiency(c), 1000.0 / 1600);
    assert_near(imbalance_to_win(c), 150);
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
  struct imbalance_verdict verdict = imbalance_judge(a.trace, &a.imbalance);
  assert_int_equal(verdict.region, s.loop);
  assert_int_equal(verdict.advice, ADVICE_DYNAMIC);
  assert_true(verdict.worth_it);
  assert_near(verdict.percent, 37.5);
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
  assert_near(c->imbalance, 300);
  assert_near(imbalance_percent(c), 100.0 * 300 / 900 * 3 / 2);
  assert_int_equal(c->wait, 900);
  for (uint32_t t = 0; t < 3; t++)
    assert_int_equal(c->by_thread[t].waited_for, 300);
  drop(&a);
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
  assert_false(imbalance_judge(a.trace, &a.imbalance).worth_it);
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
  assert_near(imbalance_to_win(c), 0);
  assert_int_equal(imbalance_judge(a.trace, &a.imbalance).region, TRACE_NONE);
  drop(&a);
}

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
  assert_near(c->imbalance, 600);
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
  assert_near(a.imbalance.constructs[s.loop].imbalance, 400);
  assert_int_equal(a.imbalance.constructs[s.loop].wait, 0);
  assert_near(a.imbalance.constructs[second].imbalance, 400);
  /* ... but nobody waits: nothing is lost there. */
  assert_near(imbalance_to_win(&a.imbalance.constructs[second]), 0);
  assert_near(a.imbalance.constructs[s.parallel].imbalance, 0);
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
  assert_near(loop->imbalance, 250);
  assert_near(imbalance_to_win(loop), 100); /* the mean wait is less than the imbalance */
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
  /* complete instances: max 200, mean 150; the others: max 100, mean 50 */
  assert_int_equal(c->busy_max, 4 * 200 + 6 * 100);
  assert_near(c->imbalance, 4 * 50 + 6 * 50);
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
  assert_true(c->imbalance > imbalance - 1e-3 && c->imbalance < imbalance + 1e-3);
  drop(&a);
}

/* Of members that arrive at the same moment the one of the lowest number counts as the last. */
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
 * More events than are read in a round, on threads that are far apart: one has nearly all events in the first part of
 * the run, one in the last. The result does not depend on who reads what when, to the last bit.
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
    struct trace_error error;
    assert_true(imbalance_analyze(a.trace, pool, true, &again, &error));
    size_t figures = offsetof(struct imbalance_construct, by_thread);
    assert_memory_equal(&again.constructs[s.parallel], parallel, figures);
    assert_memory_equal(again.constructs[s.parallel].by_thread, parallel->by_thread, 3 * sizeof *parallel->by_thread);
    assert_memory_equal(&again.constructs[s.loop], &a.imbalance.constructs[s.loop], figures);
    imbalance_free(&again);
    pool_destroy(pool);
  }
  drop(&a);
}

static void advice(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  uint32_t single = fixture_openmp(s.f, "!$omp single @a.c:5", ROLE(SINGLE));
  uint32_t block = fixture_openmp(s.f, "!$omp single sblock @a.c:5", ROLE(SINGLE_SBLOCK));
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, 0);
    fixture_enter(s.f, t, 0, single);
    if (t == 0) {
      fixture_enter(s.f, t, 0, block);
      fixture_leave(s.f, t, 1000, block);
    }
    fixture_leave(s.f, t, t == 0 ? 1000 : 0, single);
    cross_barrier(&s, t, t == 0 ? 1000 : 0, 1000);
    end_region(&s, t, 1000);
  }
  struct analyzed a = analyze(s.f);
  struct imbalance_verdict verdict = imbalance_judge(a.trace, &a.imbalance);
  assert_int_equal(verdict.region, single);
  assert_int_equal(verdict.advice, ADVICE_SINGLE);
  assert_int_equal(verdict.cause, CAUSE_IMBALANCE);
  assert_near(verdict.to_win, 500);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_imbalance),
      cmocka_unit_test(moving_imbalance),
      cmocka_unit_test(balanced),
      cmocka_unit_test(team_of_one),
      cmocka_unit_test(as_score_p_writes_it),
      cmocka_unit_test(without_teams),
      cmocka_unit_test(nowait),
      cmocka_unit_test(tasks_in_the_barrier),
      cmocka_unit_test(nested),
      cmocka_unit_test(first_regions_missing),
      cmocka_unit_test(derived_chunks),
      cmocka_unit_test(many_instances),
      cmocka_unit_test(equals_arrive),
      cmocka_unit_test(any_number_of_workers),
      cmocka_unit_test(advice),
      cmocka_unit_test(schedules),
  };
  return cmocka_run_group_tests_name("imbalance", tests, NULL, NULL);
}
