/* Schedule what-if: hand-made archives whose answers were worked out by hand, and what is said where data is missing.
 */
#include "tests/unit/analyzer/program.h"
#include "tests/unit/analyzer/scene.h"
#include "tests/unit/analyzer/subjects.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/loops/schedule.h"

#include <string.h>

#define UNIT 1000 /* ticks: iteration i costs (i + 1) of them */

/* A chunk that thread `thread` executes from `begin` to `end`. */
struct made_chunk {
  uint32_t thread;
  int64_t first;
  uint64_t count, begin, end;
  int derived;
};

/* How long each chunk of the first thread had no processor, from 10 ticks after its begin. */
struct lack {
  uint32_t region; /* says why */
  uint64_t ticks;  /* 0: it had one */
};

/* One execution of the scene's loop, in a region of its own; all threads enter at `start` and leave with their last
 * chunk. Returns when the last one has. */
static uint64_t make_loop_lacking(const struct scene *s, uint64_t start, const struct made_chunk *chunks, size_t count,
                                  struct lack lack)
{
  uint64_t last = start;
  for (size_t i = 0; i < count; i++)
    last = start + chunks[i].end > last ? start + chunks[i].end : last;
  for (uint32_t t = 0; t < s->count; t++) {
    uint64_t leave = start;
    begin_region(s, t, start);
    fixture_enter(s->f, t, start, s->loop);
    for (size_t i = 0; i < count; i++) {
      if (chunks[i].thread != t)
        continue;
      leave = start + chunks[i].end;
      fixture_chunk_of(s->f, t, start + chunks[i].begin, s->chunk,
                       (struct fixture_iterations){chunks[i].first, chunks[i].count, chunks[i].derived});
      if (t == 0 && lack.ticks > 0) {
        fixture_enter(s->f, t, start + chunks[i].begin + 10, lack.region);
        fixture_leave(s->f, t, start + chunks[i].begin + 10 + lack.ticks, lack.region);
      }
      fixture_leave(s->f, t, leave, s->chunk);
    }
    fixture_leave(s->f, t, leave, s->loop);
    cross_barrier(s, t, leave, last);
    end_region(s, t, last);
  }
  return last;
}

static uint64_t make_loop(const struct scene *s, uint64_t start, const struct made_chunk *chunks, size_t count)
{
  return make_loop_lacking(s, start, chunks, count, (struct lack){0});
}

struct answer {
  struct fixture *fixture;
  struct trace *trace;
  struct pool *pool;
  struct schedules schedules;
};

static struct answer ask(struct fixture *fixture, const uint32_t *threads, uint32_t count)
{
  struct answer a = {.fixture = fixture};
  struct error error;
  a.trace = trace_open(fixture_finish(fixture), &error);
  if (!a.trace)
    fail_msg("%s", error.message);
  a.pool = pool_create(2);
  if (!find_schedules(a.trace, a.pool, threads, count, &a.schedules, &error))
    fail_msg("%s", error.message);
  return a;
}

static void dismiss(struct answer *a)
{
  analysis_free(&schedules_analysis, &a->schedules);
  pool_destroy(a->pool);
  trace_close(a->trace);
  fixture_destroy(a->fixture);
}

static const struct schedule_candidate *find(const struct schedule_team *team, enum plan_kind kind, uint64_t chunk)
{
  for (uint32_t i = 0; i < team->count; i++) {
    if (team->candidates[i].plan.kind == kind && team->candidates[i].plan.chunk == chunk)
      return &team->candidates[i];
  }
  fail_msg("%s,%d is no candidate", plan_kind_name(kind), (int)chunk);
  return NULL;
}

static void assert_time(const struct schedule_team *team, enum plan_kind kind, uint64_t chunk, double expected)
{
  const struct schedule_candidate *candidate = find(team, kind, chunk);
  if (candidate->ticks < expected - 0.001 || candidate->ticks > expected + 0.001)
    fail_msg("%s,%d: %g instead of %g", plan_kind_name(kind), (int)chunk, candidate->ticks, expected);
}

/* Costs 1 ... 8 under dynamic,1 on two threads: the first has 1 3 5 7, the second 2 4 6 8. */
static const struct made_chunk triangle[] = {
    {0, 0, 1, 0, 1000, 0}, {0, 2, 1, 1000, 4000, 0}, {0, 4, 1, 4000, 9000, 0},  {0, 6, 1, 9000, 16000, 0},
    {1, 1, 1, 0, 2000, 0}, {1, 3, 1, 2000, 6000, 0}, {1, 5, 1, 6000, 12000, 0}, {1, 7, 1, 12000, 20000, 0},
};

static struct scene make_dynamic_scene(uint32_t threads)
{
  struct scene s = make_scene(threads);
  fixture_describe(s.f, s.loop, "schedule: dynamic");
  return s;
}

static void triangle_by_hand(void **state)
{
  (void)state;
  static const uint32_t sizes[] = {1, 4};
  struct scene s = make_dynamic_scene(2);
  uint64_t end = make_loop(&s, 100, triangle, 8);
  make_loop(&s, end, triangle, 8);
  struct answer a = ask(s.f, sizes, 2);
  assert_int_equal(a.schedules.count, 1);
  const struct schedule_loop *loop = &a.schedules.loops[0];
  assert_int_equal(loop->calls, 2);
  assert_int_equal(loop->incomplete, 0);
  assert_int_equal(loop->sampled, 2);
  assert_int_equal(loop->ticks, 2 * 20 * UNIT);
  assert_near(fine_total_ticks(loop->ideal), 2 * 18 * UNIT);
  assert_int_equal(loop->iterations, 16);
  assert_int_equal(loop->recorded.kind, PLAN_DYNAMIC);
  assert_int_equal(loop->recorded.chunk, 1);
  assert_near(loop->error, 0);
  assert_near(loop->overhead, 0);
  assert_int_equal(loop->team_count, 3);
  const struct schedule_team *two = &loop->teams[0];
  assert_time(two, PLAN_STATIC, 0, 2 * 26 * UNIT);
  assert_time(two, PLAN_STATIC, 1, 2 * 20 * UNIT);
  assert_time(two, PLAN_STATIC, 2, 2 * 22 * UNIT);
  assert_time(two, PLAN_DYNAMIC, 1, 2 * 20 * UNIT);
  assert_time(two, PLAN_DYNAMIC, 2, 2 * 22 * UNIT);
  assert_time(two, PLAN_DYNAMIC, 4, 2 * 26 * UNIT);
  assert_time(two, PLAN_GUIDED, 1, 2 * 21 * UNIT); /* 1+2, 3, 4, 5, 6, 7, 8 */
  assert_int_equal(two->verdict, SCHEDULE_GOOD);
  assert_time(&loop->teams[1], PLAN_STATIC, 0, 2 * 36 * UNIT);
  assert_time(&loop->teams[2], PLAN_STATIC, 0, 2 * 15 * UNIT);
  assert_time(&loop->teams[2], PLAN_DYNAMIC, 1, 2 * 12 * UNIT); /* 1+5, 2+6, 3+7, 4+8 */
  assert_int_equal(loop->teams[2].verdict, SCHEDULE_NOT_RECORDED);
  dismiss(&a);
}

/* The same in two chunks of four: 10 and 26. Halves can be seen to be uneven, but not inside. */
static void chunks_too_large(void **state)
{
  (void)state;
  static const struct made_chunk halves[] = {{0, 0, 4, 0, 10000, 0}, {1, 4, 4, 0, 26000, 0}};
  struct scene s = make_scene(2);
  make_loop(&s, 0, halves, 2);
  struct answer a = ask(s.f, NULL, 0);
  const struct schedule_loop *loop = &a.schedules.loops[0];
  const struct schedule_team *team = &loop->teams[0];
  assert_int_equal(loop->recorded.kind, PLAN_STATIC);
  assert_int_equal(loop->recorded.chunk, 0);
  assert_time(team, PLAN_STATIC, 0, 26 * UNIT);
  assert_int_equal(team->verdict, SCHEDULE_TOO_COARSE);
  assert_int_equal(loop->overhead_from, OVERHEAD_UNKNOWN);
  const struct schedule_candidate *best = &team->candidates[team->best];
  assert_true(best->least <= 20 * UNIT && best->most >= 20 * UNIT);
  assert_near(best->least, 18 * UNIT);
  dismiss(&a);
}

static void even_halves(void **state)
{
  (void)state;
  static const struct made_chunk halves[] = {{0, 0, 4, 0, 18000, 0}, {1, 4, 4, 0, 18000, 0}};
  struct scene s = make_scene(2);
  make_loop(&s, 0, halves, 2);
  struct answer a = ask(s.f, NULL, 0);
  const struct schedule_team *team = &a.schedules.loops[0].teams[0];
  assert_int_equal(team->verdict, SCHEDULE_GOOD);
  assert_int_equal(team->candidates[team->best].plan.kind, PLAN_STATIC);
  dismiss(&a);
}

/* Iterations of 10, between two chunks 5: handing out is what costs. */
static void costly_handing_out(void **state)
{
  (void)state;
  struct made_chunk chunks[64];
  for (uint32_t i = 0; i < 64; i++)
    chunks[i] = (struct made_chunk){i % 2, i, 1, i / 2 * 15, i / 2 * 15 + 10, 0};
  struct scene s = make_dynamic_scene(2);
  make_loop(&s, 0, chunks, 64);
  struct answer a = ask(s.f, NULL, 0);
  const struct schedule_loop *loop = &a.schedules.loops[0];
  const struct schedule_team *team = &loop->teams[0];
  assert_int_equal(loop->ticks, 31 * 15 + 10);
  assert_near(loop->overhead, 5);
  assert_int_equal(loop->overhead_from, OVERHEAD_OF_LOOP);
  assert_time(team, PLAN_STATIC, 0, 320);
  assert_time(team, PLAN_DYNAMIC, 1, 480);
  assert_time(team, PLAN_DYNAMIC, 8, 320 + 4 * 5);
  assert_int_equal(team->verdict, SCHEDULE_ADVISED);
  assert_int_equal(team->candidates[team->best].plan.kind, PLAN_STATIC);
  assert_int_equal(team->candidates[team->best].plan.chunk, 0);
  dismiss(&a);
}

/* 64 iterations of 97, 3 between two chunks: static would take 2.9 % less, in `calls` executions that are all alike. */
static enum schedule_verdict judge_little(uint32_t calls)
{
  struct made_chunk chunks[64];
  for (uint32_t i = 0; i < 64; i++)
    chunks[i] = (struct made_chunk){i % 2, i, 1, i / 2 * 100, i / 2 * 100 + 97, 0};
  struct scene s = make_dynamic_scene(2);
  uint64_t time = 0;
  for (uint32_t call = 0; call < calls; call++)
    time = make_loop(&s, time, chunks, 64);
  struct answer a = ask(s.f, NULL, 0);
  const struct schedule_team *team = &a.schedules.loops[0].teams[0];
  assert_near(team->gain, 100.0 * (31 * 100 + 97 - 32 * 97) / (31 * 100 + 97));
  enum schedule_verdict verdict = team->verdict;
  dismiss(&a);
  return verdict;
}

/* Three executions cannot show 3 %, sixteen can. */
static void little_from_few_executions(void **state)
{
  (void)state;
  assert_int_equal(judge_little(3), SCHEDULE_UNSURE);
  assert_int_equal(judge_little(16), SCHEDULE_ADVISED);
}

/* Every other iteration is long, in turn another one: a mean over executions would hide it. */
static void moving_load(void **state)
{
  (void)state;
  struct scene s = make_dynamic_scene(2);
  uint64_t time = 0;
  for (uint32_t call = 0; call < 4; call++) {
    struct made_chunk chunks[8];
    uint64_t free[2] = {0, 0};
    for (uint32_t i = 0; i < 8; i++) { /* the long half is at the beginning, or at the end */
      uint64_t cost = (i < 4) == (call % 2 == 0) ? 3000 : 1000;
      uint32_t thread = free[1] < free[0];
      chunks[i] = (struct made_chunk){thread, i, 1, free[thread], free[thread] + cost, 0};
      free[thread] += cost;
    }
    time = make_loop(&s, time, chunks, 8);
  }
  struct answer a = ask(s.f, NULL, 0);
  const struct schedule_team *team = &a.schedules.loops[0].teams[0];
  assert_time(team, PLAN_STATIC, 0, 4 * 12 * UNIT);
  assert_time(team, PLAN_DYNAMIC, 1, 4 * 8 * UNIT);
  assert_int_equal(team->verdict, SCHEDULE_GOOD);
  dismiss(&a);
}

/* libomp's static,1: a thread's first chunk has all its time. */
static void derived_chunks(void **state)
{
  (void)state;
  static const struct made_chunk chunks[] = {
      {0, 0, 1, 0, 16000, 0}, {0, 2, 1, 16000, 16000, 1}, {1, 1, 1, 0, 20000, 0}, {1, 3, 1, 20000, 20000, 1}};
  struct scene s = make_scene(2);
  make_loop(&s, 0, chunks, 4);
  struct answer a = ask(s.f, NULL, 0);
  const struct schedule_loop *loop = &a.schedules.loops[0];
  assert_int_equal(loop->obstacle, OBSTACLE_SCATTERED);
  assert_int_equal(loop->team_count, 0);
  assert_near(fine_total_ticks(loop->ideal), 18 * UNIT);
  dismiss(&a);
}

/* A thread whose events are lost: nothing is guessed. */
/* Threads that wait for a processor, or sleep, for a part of the loop's time: with more than a tenth there is no
 * advice. */
static void threads_without_a_processor(void **state)
{
  (void)state;
  for (int much = 0; much < 2; much++) {
    struct scene s = make_dynamic_scene(2);
    uint32_t ready = fixture_region(s.f, "waits", OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
    fixture_describe(s.f, ready, much ? "state: off" : "state: ready");
    /* 3,600 ticks are a tenth of 16,000 and 20,000 ticks. */
    make_loop_lacking(&s, 100, triangle, 8, (struct lack){ready, much ? 901 : 900});
    struct answer a = ask(s.f, NULL, 0);
    assert_int_equal(a.schedules.loops[0].obstacle, much ? OBSTACLE_OFF : OBSTACLE_NONE);
    assert_int_equal(a.schedules.loops[0].team_count, !much);
    dismiss(&a);
  }
}

static void missing_thread(void **state)
{
  (void)state;
  struct scene s = make_dynamic_scene(2);
  begin_region(&s, 0, 0);
  fixture_enter(s.f, 0, 0, s.loop);
  fixture_chunk_of(s.f, 0, 0, s.chunk, (struct fixture_iterations){0, 4, 0});
  fixture_leave(s.f, 0, 100, s.chunk);
  fixture_leave(s.f, 0, 100, s.loop);
  end_region(&s, 0, 200);
  begin_region(&s, 1, 0);
  end_region(&s, 1, 200);
  struct answer a = ask(s.f, NULL, 0);
  assert_int_equal(a.schedules.loops[0].incomplete, 1);
  assert_int_equal(a.schedules.loops[0].obstacle, OBSTACLE_INCOMPLETE);
  dismiss(&a);
}

/* Executions without iterations are none the worse for that; the others count. */
static void no_iterations(void **state)
{
  (void)state;
  static const struct made_chunk some[] = {{0, 0, 4, 0, 100, 0}, {1, 4, 4, 0, 100, 0}};
  static const struct made_chunk none[] = {{0, 0, 0, 0, 10, 0}, {1, 0, 0, 0, 10, 0}};
  for (int mixed = 0; mixed < 2; mixed++) {
    struct scene s = make_dynamic_scene(2);
    uint64_t time = make_loop(&s, 0, none, 2);
    if (mixed)
      make_loop(&s, time, some, 2);
    struct answer a = ask(s.f, NULL, 0);
    const struct schedule_loop *loop = &a.schedules.loops[0];
    assert_int_equal(loop->calls, 1 + mixed);
    assert_int_equal(loop->incomplete, 0);
    assert_int_equal(loop->obstacle, mixed ? OBSTACLE_NONE : OBSTACLE_EMPTY);
    dismiss(&a);
  }
  /* A dynamic loop hands out all that there is: without chunks it had no iterations. */
  struct scene s = make_dynamic_scene(2);
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, 0);
    fixture_enter(s.f, t, 10, s.loop);
    fixture_leave(s.f, t, 15, s.loop);
    cross_barrier(&s, t, 15, 20);
    end_region(&s, t, 20);
  }
  struct answer a = ask(s.f, NULL, 0);
  assert_int_equal(a.schedules.loops[0].obstacle, OBSTACLE_EMPTY);
  dismiss(&a);
}

/* What measurement missed a part of is not used, nor what may not belong together after it. */
static void measurement_off(void **state)
{
  (void)state;
  struct scene s = make_dynamic_scene(2);
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, 0);
    for (uint64_t k = 0; k < 4; k++) {
      uint64_t time = 1000 * k;
      if (t == 0 && k == 2) { /* the third loop is missing here: the fourth is the third that is seen */
        fixture_measurement(s.f, t, time + 10, 0);
        fixture_measurement(s.f, t, time + 990, 1);
        continue;
      }
      fixture_enter(s.f, t, time + 20, s.loop);
      fixture_chunk_of(s.f, t, time + 20, s.chunk, (struct fixture_iterations){4 * t, 4, 0});
      if (k == 1 && t == 1) { /* a part of the second one is */
        fixture_measurement(s.f, t, time + 30, 0);
        fixture_measurement(s.f, t, time + 40, 1);
      }
      fixture_leave(s.f, t, time + 900, s.chunk);
      fixture_leave(s.f, t, time + 900, s.loop);
    }
    end_region(&s, t, 4000);
  }
  struct answer a = ask(s.f, NULL, 0);
  const struct schedule_loop *loop = &a.schedules.loops[0];
  assert_int_equal(loop->calls, 4);
  assert_int_equal(loop->incomplete, 3);
  assert_int_equal(loop->ticks, 880);
  dismiss(&a);
}

/* Chunks of 100 that follow each other, with handing out inside. The recording ends as the last one of each thread has
 * begun: these chunks do not show the cost of a chunk. */
static void cut_chunks_are_not_short(void **state)
{
  (void)state;
  struct made_chunk chunks[64];
  for (uint32_t i = 0; i < 64; i++)
    chunks[i] = (struct made_chunk){i % 2, i, 1, i / 2 * 100 + 100, i / 2 * 100 + 200, 0};
  struct scene s = make_dynamic_scene(2);
  uint64_t last = make_loop(&s, 0, chunks, 64);
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, last);
    fixture_enter(s.f, t, last, s.loop);
    for (uint32_t i = 0; i < 4; i++) {
      uint64_t end = last + 200 + 100 * (i < 3 ? i : 2);
      fixture_chunk_of(s.f, t, last + 100 + 100 * i, s.chunk, (struct fixture_iterations){2 * i + t, 1, 0});
      if (i == 3)
        fixture_measurement(s.f, t, end, 0);
      fixture_leave(s.f, t, end, s.chunk);
    }
    fixture_leave(s.f, t, last + 400, s.loop);
    end_region(&s, t, last + 400);
  }
  struct answer a = ask(s.f, NULL, 0);
  assert_int_equal(a.schedules.loops[0].overhead_from, OVERHEAD_OF_LOOP);
  assert_near(a.schedules.loops[0].overhead, 100);
  dismiss(&a);
}

/* Chunks that overlap, have no iterations, or impossibly many: any answer is fine, but no harm. */
static void absurd_chunks(void **state)
{
  (void)state;
  static const struct made_chunk sets[][2] = {{{0, 0, 4, 0, 10, 0}, {1, 2, 4, 0, 10, 0}},
                                              {{0, 0, 0, 0, 10, 0}, {1, 0, 0, 0, 10, 0}},
                                              {{0, INT64_MIN, UINT64_MAX, 0, 10, 0}, {1, 1, UINT64_MAX, 0, 10, 0}},
                                              {{0, INT64_MAX, 1, 0, 10, 0}, {1, INT64_MIN, 1, 0, 10, 0}},
                                              {{0, 0, 1ull << 61, 0, 10, 0}, {1, 1ll << 61, 1ull << 61, 0, 10, 0}}};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    struct scene s = make_dynamic_scene(2);
    make_loop(&s, 0, sets[i], 2);
    struct answer a = ask(s.f, NULL, 0);
    assert_int_equal(a.schedules.count, 1);
    assert_int_equal(a.schedules.loops[0].calls, 1);
    if (i < 3)
      assert_int_equal(a.schedules.loops[0].team_count, 0);
    dismiss(&a);
  }
}

static void command_line(void **state)
{
  (void)state;
  static struct outcome outcome;
  struct scene s = make_dynamic_scene(2);
  make_loop(&s, 0, triangle, 8);
  const char *archive = fixture_finish(s.f);
  run(&outcome, KEEP_OUTPUT, "schedule %s", archive);
  assert_int_equal(outcome.status, 0);
  assert_non_null(strstr(outcome.out, "is as good as it gets; schedule(static) would take 30 % more."));
  run(&outcome, KEEP_OUTPUT, "schedule --csv --threads 4,8 %s", archive);
  assert_int_equal(outcome.status, 0);
  assert_non_null(strstr(outcome.out, "\"schedule(dynamic,1)\""));
  assert_non_null(strstr(outcome.out, "with 8 threads"));
  static const char *const wrong[] = {"0", "4097", "-1",   "1,",
                                      "x", "",     "1,,2", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    run(&outcome, KEEP_ERRORS, "schedule --threads '%s' %s", wrong[i], archive);
    assert_int_equal(outcome.status, 2);
    assert_one_line(outcome.out);
  }
  fixture_destroy(s.f);
}

UNIT_TEST(schedule)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triangle_by_hand),
      cmocka_unit_test(chunks_too_large),
      cmocka_unit_test(even_halves),
      cmocka_unit_test(costly_handing_out),
      cmocka_unit_test(little_from_few_executions),
      cmocka_unit_test(moving_load),
      cmocka_unit_test(derived_chunks),
      cmocka_unit_test(threads_without_a_processor),
      cmocka_unit_test(missing_thread),
      cmocka_unit_test(no_iterations),
      cmocka_unit_test(measurement_off),
      cmocka_unit_test(cut_chunks_are_not_short),
      cmocka_unit_test(absurd_chunks),
      cmocka_unit_test(command_line),
  };
  return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
