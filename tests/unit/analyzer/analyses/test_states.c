/* The state table, the machine and the sums: hand-made archives with known answers. */
#include "analyzer/analyses/locks/locks.h"
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/analyzer/subjects.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/imbalance/imbalance.h"
#include "analyzer/analyses/states/survey.h"

#include <stdio.h>
#include <string.h>

#define ROLE(name) OTF2_REGION_ROLE_##name

struct row {
  enum state state;
  uint64_t start, end;
};

struct rows {
  struct row list[64];
  size_t count;
};

static void keep_row(void *context, const struct state_interval *interval)
{
  struct rows *rows = context;
  assert_true(rows->count < 64);
  rows->list[rows->count++] = (struct row){interval->state, interval->start, interval->end};
}

/* The states of a location are exactly these, and states_sum() has the same times. */
static void expect(struct fixture *fixture, uint32_t location, bool threads_level, const struct row *expected,
                   size_t count)
{
  struct error error;
  struct trace *trace = trace_open(fixture_finish(fixture), &error);
  if (!trace)
    fail_msg("%s", error.message);
  trace->threads_level = threads_level;
  struct rows rows = {.count = 0};
  if (!states_list(trace, location, keep_row, &rows, &error))
    fail_msg("%s", error.message);
  uint64_t ticks[STATES] = {0};
  assert_int_equal(rows.count, count);
  for (size_t i = 0; i < count; i++) {
    assert_string_equal(state_name(rows.list[i].state), state_name(expected[i].state));
    assert_int_equal(rows.list[i].start, expected[i].start);
    assert_int_equal(rows.list[i].end, expected[i].end);
    ticks[expected[i].state] += expected[i].end - expected[i].start;
  }
  struct pool *pool = pool_create(2);
  struct states_sums sums;
  assert_true(analysis_find(&states_sums_analysis, trace, pool, NULL, &sums, &error));
  uint64_t total = 0;
  for (unsigned i = 0; i < STATES; i++) {
    assert_int_equal(sums.threads[location].ticks[i], ticks[i]);
    total += ticks[i];
  }
  assert_int_equal(total, sums.threads[location].last - sums.threads[location].first);
  states_sums_free(&sums);
  pool_destroy(pool);
  trace_close(trace);
  fixture_destroy(fixture);
}
#define EXPECT_AT(level, fixture, location, ...)                                                                       \
  expect(fixture, location, level, (const struct row[]){__VA_ARGS__},                                                  \
         sizeof((const struct row[]){__VA_ARGS__}) / sizeof(struct row))
#define EXPECT(fixture, location, ...) EXPECT_AT(false, fixture, location, __VA_ARGS__)

/* A fixture with one thread that is in a team of its own, from 0 on. */
static struct fixture *in_team(uint32_t *team)
{
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "master");
  fixture_thread_type(f, thread, "initial");
  *team = fixture_team(f, &thread, 1);
  fixture_team_begin(f, thread, 0, *team);
  return f;
}

static void outside_teams(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t master = fixture_location(f, "master");
  uint32_t worker = fixture_location(f, "worker");
  uint32_t team = fixture_team(f, (const uint32_t[]){master, worker}, 2);
  uint32_t parallel = fixture_openmp(f, "!$omp parallel @a.c:1", ROLE(PARALLEL));
  fixture_thread_begin(f, master, 0);
  fixture_enter(f, master, 10, parallel);
  fixture_fork(f, master, 10);
  fixture_team_begin(f, master, 14, team);
  fixture_team_end(f, master, 90, team);
  fixture_join(f, master, 95);
  fixture_leave(f, master, 95, parallel);
  fixture_thread_end(f, master, 100);
  fixture_thread_begin(f, worker, 12);
  fixture_team_begin(f, worker, 20, team);
  fixture_enter(f, worker, 20, parallel);
  fixture_leave(f, worker, 90, parallel);
  fixture_team_end(f, worker, 90, team);
  fixture_thread_end(f, worker, 100);
  EXPECT(f, master, {STATE_RUN, 0, 10}, {STATE_OVERHEAD, 10, 14}, {STATE_RUN, 14, 90}, {STATE_OVERHEAD, 90, 95},
         {STATE_RUN, 95, 100});
}

static void worker_by_first_event(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t worker = fixture_location(f, "worker");
  uint32_t team = fixture_team(f, &worker, 1);
  fixture_thread_begin(f, worker, 12);
  fixture_team_begin(f, worker, 20, team);
  fixture_team_end(f, worker, 90, team);
  fixture_thread_end(f, worker, 100);
  EXPECT(f, worker, {STATE_IDLE, 12, 20}, {STATE_RUN, 20, 90}, {STATE_IDLE, 90, 100});
}

static void user_code_inherits(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "main");
  uint32_t function = fixture_region(f, "main", ROLE(FUNCTION), OTF2_PARADIGM_COMPILER, 1);
  uint32_t mpi = fixture_region(f, "MPI_Barrier", ROLE(BARRIER), OTF2_PARADIGM_MPI, 1);
  fixture_enter(f, thread, 0, function);
  fixture_enter(f, thread, 10, mpi);
  fixture_leave(f, thread, 20, mpi);
  fixture_leave(f, thread, 30, function);
  /* One state, but three intervals, for the construct changes. */
  EXPECT(f, thread, {STATE_RUN, 0, 10}, {STATE_RUN, 10, 20}, {STATE_RUN, 20, 30});
}

static void loop_with_chunks(void **state)
{
  (void)state;
  uint32_t team;
  struct fixture *f = in_team(&team);
  uint32_t loop = fixture_openmp(f, "!$omp for @a.c:2", ROLE(LOOP));
  uint32_t chunk = fixture_openmp(f, "chunk @a.c:2", ROLE(LOOP));
  fixture_enter(f, 0, 10, loop);
  fixture_enter(f, 0, 12, chunk);
  fixture_leave(f, 0, 20, chunk);
  fixture_enter(f, 0, 23, chunk);
  fixture_leave(f, 0, 30, chunk);
  fixture_leave(f, 0, 34, loop);
  fixture_team_end(f, 0, 40, team);
  EXPECT(f, 0, {STATE_RUN, 0, 10}, {STATE_OVERHEAD, 10, 12}, {STATE_RUN, 12, 20}, {STATE_OVERHEAD, 20, 23},
         {STATE_RUN, 23, 30}, {STATE_OVERHEAD, 30, 34}, {STATE_RUN, 34, 40});
}

static void loop_without_chunks(void **state)
{
  (void)state;
  uint32_t team;
  struct fixture *f = in_team(&team);
  uint32_t loop = fixture_openmp(f, "!$omp for @a.c:2", ROLE(LOOP));
  uint32_t critical = fixture_openmp(f, "!$omp critical @a.c:3", ROLE(CRITICAL));
  uint32_t held = fixture_openmp(f, "!$omp critical sblock @a.c:3", ROLE(CRITICAL_SBLOCK));
  fixture_enter(f, 0, 10, loop);
  fixture_enter(f, 0, 15, critical);
  fixture_acquire(f, 0, 18);
  fixture_enter(f, 0, 18, held);
  fixture_leave(f, 0, 20, held);
  fixture_leave(f, 0, 21, critical);
  fixture_leave(f, 0, 30, loop);
  fixture_team_end(f, 0, 30, team);
  EXPECT(f, 0, {STATE_RUN, 0, 10}, {STATE_RUN, 10, 15}, {STATE_SYNCH_MUTEX, 15, 18}, {STATE_RUN, 18, 20},
         {STATE_OVERHEAD, 20, 21}, {STATE_RUN, 21, 30});
}

/* The tool's own pause before the first chunk decides nothing. */
static void traceflush_while_undecided(void **state)
{
  (void)state;
  uint32_t team;
  struct fixture *f = in_team(&team);
  uint32_t loop = fixture_openmp(f, "!$omp for @a.c:2", ROLE(LOOP));
  uint32_t chunk = fixture_openmp(f, "chunk @a.c:2", ROLE(LOOP));
  uint32_t flush = fixture_region(f, "TRACEFLUSH", ROLE(FUNCTION), OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  fixture_enter(f, 0, 10, loop);
  fixture_enter(f, 0, 12, flush);
  fixture_leave(f, 0, 17, flush);
  fixture_enter(f, 0, 19, chunk);
  fixture_leave(f, 0, 25, chunk);
  fixture_leave(f, 0, 25, loop);
  fixture_team_end(f, 0, 25, team);
  EXPECT(f, 0, {STATE_RUN, 0, 10}, {STATE_OVERHEAD, 10, 12}, {STATE_TRACEFLUSH, 12, 17}, {STATE_OVERHEAD, 17, 19},
         {STATE_RUN, 19, 25});
}

static void sections_and_single(void **state)
{
  (void)state;
  uint32_t team;
  struct fixture *f = in_team(&team);
  uint32_t sections = fixture_openmp(f, "!$omp sections @a.c:2", ROLE(SECTIONS));
  uint32_t section = fixture_openmp(f, "!$omp section @a.c:3", ROLE(SECTION));
  uint32_t single = fixture_openmp(f, "!$omp single @a.c:4", ROLE(SINGLE));
  uint32_t block = fixture_openmp(f, "!$omp single sblock @a.c:4", ROLE(SINGLE_SBLOCK));
  fixture_enter(f, 0, 0, sections);
  fixture_enter(f, 0, 2, section);
  fixture_leave(f, 0, 8, section);
  fixture_leave(f, 0, 10, sections);
  fixture_enter(f, 0, 10, single);
  fixture_enter(f, 0, 11, block);
  fixture_leave(f, 0, 19, block);
  fixture_leave(f, 0, 20, single);
  fixture_enter(f, 0, 20, single);
  fixture_leave(f, 0, 22, single);
  fixture_team_end(f, 0, 22, team);
  EXPECT(f, 0, {STATE_OVERHEAD, 0, 2}, {STATE_RUN, 2, 8}, {STATE_OVERHEAD, 8, 10}, {STATE_OVERHEAD, 10, 11},
         {STATE_RUN, 11, 19}, {STATE_OVERHEAD, 19, 22});
}

/* Ours: the waiting part is nested, the rest of the barrier is overhead. A task runs inside the wait. */
static void barrier_with_waiting_part(void **state)
{
  (void)state;
  uint32_t team;
  struct fixture *f = in_team(&team);
  uint32_t barrier = fixture_openmp(f, "!$omp barrier @a.c:2", ROLE(BARRIER));
  uint32_t wait = fixture_openmp(f, "!$omp barrier wait @a.c:2", ROLE(BARRIER));
  uint32_t task = fixture_openmp(f, "!$omp task @a.c:3", ROLE(TASK));
  fixture_enter(f, 0, 10, barrier);
  fixture_enter(f, 0, 11, wait);
  fixture_enter(f, 0, 15, task);
  fixture_leave(f, 0, 25, task);
  fixture_leave(f, 0, 30, wait);
  fixture_leave(f, 0, 32, barrier);
  fixture_team_end(f, 0, 32, team);
  EXPECT(f, 0, {STATE_RUN, 0, 10}, {STATE_OVERHEAD, 10, 11}, {STATE_SYNCH_BARRIER, 11, 15}, {STATE_RUN, 15, 25},
         {STATE_SYNCH_BARRIER, 25, 30}, {STATE_OVERHEAD, 30, 32});
}

/* Score-P: no nested part, all of it is waiting. */
static void barrier_as_others_write_it(void **state)
{
  (void)state;
  uint32_t team;
  struct fixture *f = in_team(&team);
  uint32_t barrier = fixture_openmp(f, "!$omp implicit barrier @a.c:2", ROLE(IMPLICIT_BARRIER));
  uint32_t task = fixture_openmp(f, "!$omp task @a.c:3", ROLE(TASK));
  fixture_enter(f, 0, 10, barrier);
  fixture_enter(f, 0, 15, task);
  fixture_leave(f, 0, 25, task);
  fixture_leave(f, 0, 32, barrier);
  fixture_team_end(f, 0, 32, team);
  EXPECT(f, 0, {STATE_RUN, 0, 10}, {STATE_SYNCH_IMPLICIT_BARRIER, 10, 15}, {STATE_RUN, 15, 25},
         {STATE_SYNCH_IMPLICIT_BARRIER, 25, 32});
}

static void locks_atomic_ordered(void **state)
{
  (void)state;
  uint32_t team;
  struct fixture *f = in_team(&team);
  uint32_t lock = fixture_openmp(f, "omp_set_lock", ROLE(WRAPPER));
  uint32_t threads = fixture_openmp(f, "omp_set_num_threads", ROLE(WRAPPER));
  uint32_t atomic = fixture_openmp(f, "!$omp atomic @a.c:3", ROLE(ATOMIC));
  uint32_t ordered = fixture_openmp(f, "!$omp ordered @a.c:4", ROLE(ORDERED));
  uint32_t held = fixture_openmp(f, "!$omp ordered sblock @a.c:4", ROLE(ORDERED_SBLOCK));
  fixture_enter(f, 0, 0, lock);
  fixture_leave(f, 0, 5, lock);
  fixture_acquire(f, 0, 5);
  fixture_enter(f, 0, 10, atomic);
  fixture_acquire(f, 0, 13);
  fixture_leave(f, 0, 17, atomic);
  fixture_enter(f, 0, 20, ordered);
  fixture_enter(f, 0, 24, held);
  fixture_leave(f, 0, 26, held);
  fixture_leave(f, 0, 27, ordered);
  fixture_enter(f, 0, 30, threads);
  fixture_leave(f, 0, 32, threads);
  fixture_team_end(f, 0, 32, team);
  EXPECT(f, 0, {STATE_SYNCH_MUTEX, 0, 5}, {STATE_RUN, 5, 10}, {STATE_SYNCH_MUTEX, 10, 13}, {STATE_RUN, 13, 17},
         {STATE_RUN, 17, 20}, {STATE_SYNCH_ORDERED, 20, 24}, {STATE_RUN, 24, 26}, {STATE_OVERHEAD, 26, 27},
         {STATE_RUN, 27, 30}, {STATE_OVERHEAD, 30, 32});
}

static void taskgroup_taskwait_reduction(void **state)
{
  (void)state;
  uint32_t team;
  struct fixture *f = in_team(&team);
  uint32_t group = fixture_openmp(f, "!$omp taskgroup @a.c:2", ROLE(FUNCTION));
  uint32_t wait = fixture_openmp(f, "!$omp taskgroup wait @a.c:2", ROLE(TASK_WAIT));
  uint32_t reduction = fixture_openmp(f, "!$omp reduction @a.c:3", ROLE(FUNCTION));
  uint32_t create = fixture_openmp(f, "!$omp task create @a.c:3", ROLE(TASK_CREATE));
  fixture_enter(f, 0, 0, group);
  fixture_enter(f, 0, 2, create);
  fixture_leave(f, 0, 3, create);
  fixture_enter(f, 0, 5, wait);
  fixture_leave(f, 0, 9, wait);
  fixture_leave(f, 0, 10, group);
  fixture_enter(f, 0, 10, reduction);
  fixture_leave(f, 0, 14, reduction);
  fixture_team_end(f, 0, 15, team);
  EXPECT(f, 0, {STATE_RUN, 0, 2}, {STATE_OVERHEAD, 2, 3}, {STATE_RUN, 3, 5}, {STATE_SYNCH_TASKWAIT, 5, 9},
         {STATE_RUN, 9, 10}, {STATE_SYNCH_REDUCTION, 10, 14}, {STATE_RUN, 14, 15});
}

static void measurement_off_and_buffer_flush(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "main");
  uint32_t function = fixture_region(f, "f", ROLE(FUNCTION), OTF2_PARADIGM_USER, 1);
  fixture_enter(f, thread, 0, function);
  fixture_measurement(f, thread, 10, 0);
  fixture_measurement(f, thread, 30, 1);
  OTF2_EvtWriter_BufferFlush(fixture_writer(f, thread), NULL, 40, 45);
  fixture_leave(f, thread, 60, function);
  EXPECT(f, thread, {STATE_RUN, 0, 10}, {STATE_UNMEASURED, 10, 30}, {STATE_RUN, 30, 40}, {STATE_TRACEFLUSH, 40, 45},
         {STATE_RUN, 45, 60});
}

static void nested_teams(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "OpenMP thread 1");
  uint32_t outer = fixture_team(f, &thread, 1);
  uint32_t inner = fixture_team(f, &thread, 1);
  fixture_team_begin(f, thread, 0, outer);
  fixture_fork(f, thread, 10);
  fixture_team_begin(f, thread, 12, inner);
  fixture_team_end(f, thread, 20, inner);
  fixture_join(f, thread, 21);
  fixture_team_end(f, thread, 30, outer);
  fixture_thread_end(f, thread, 35);
  EXPECT(f, thread, {STATE_RUN, 0, 10}, {STATE_OVERHEAD, 10, 12}, {STATE_RUN, 12, 20}, {STATE_OVERHEAD, 20, 21},
         {STATE_RUN, 21, 30}, {STATE_IDLE, 30, 35});
}

/* Ends that match nothing and beginnings without an end: counted, and the sums hold. */
static void unbalanced(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "main");
  uint32_t a = fixture_region(f, "a", ROLE(FUNCTION), OTF2_PARADIGM_USER, 1);
  uint32_t single = fixture_openmp(f, "!$omp single @a.c:1", ROLE(SINGLE));
  fixture_leave(f, thread, 0, a);
  fixture_enter(f, thread, 5, a);
  fixture_enter(f, thread, 10, single);
  fixture_leave(f, thread, 20, a);
  fixture_join(f, thread, 25);
  fixture_enter(f, thread, 30, 77777); /* defined nowhere */
  fixture_enter(f, thread, 40, single);
  fixture_thread_end(f, thread, 50);
  EXPECT(f, thread, {STATE_RUN, 0, 5}, {STATE_RUN, 5, 10}, {STATE_OVERHEAD, 10, 20}, {STATE_RUN, 20, 40},
         {STATE_OVERHEAD, 40, 50});
}

/* Score-P's archives have references and clocks of their own for each location, and tables that translate them. */
static void local_references_and_clocks(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "main");
  uint32_t function = fixture_region(f, "f", ROLE(FUNCTION), OTF2_PARADIGM_USER, 1);
  uint32_t barrier = fixture_openmp(f, "!$omp barrier @a.c:1", ROLE(BARRIER));
  fixture_map_regions(f, thread, (const uint32_t[]){barrier, function}, 2);
  fixture_clock_offset(f, thread, 1000);
  fixture_enter(f, thread, 0, 1);  /* f */
  fixture_enter(f, thread, 10, 0); /* the barrier */
  fixture_leave(f, thread, 30, 0);
  fixture_leave(f, thread, 40, 1);
  EXPECT(f, thread, {STATE_RUN, 1000, 1010}, {STATE_SYNCH_BARRIER, 1010, 1030}, {STATE_RUN, 1030, 1040});
}

/* Chunks and waiting parts count as their construct, and are no calls. */
static void constructs_own_their_parts(void **state)
{
  (void)state;
  uint32_t team;
  struct fixture *f = in_team(&team);
  uint32_t loop = fixture_openmp(f, "!$omp for @a.c:2", ROLE(LOOP));
  uint32_t chunk = fixture_openmp(f, "chunk @a.c:2", ROLE(LOOP));
  for (uint64_t t = 0; t < 100; t += 10) {
    fixture_enter(f, 0, t, loop);
    fixture_enter(f, 0, t + 1, chunk);
    fixture_leave(f, 0, t + 9, chunk);
    fixture_leave(f, 0, t + 10, loop);
  }
  fixture_team_end(f, 0, 100, team);
  struct error error;
  struct trace *trace = trace_open(fixture_finish(f), &error);
  assert_non_null(trace);
  struct pool *pool = pool_create(1);
  struct states_sums sums;
  assert_true(analysis_find(&states_sums_analysis, trace, pool, NULL, &sums, &error));
  assert_int_equal(sums.constructs[loop].calls, 10);
  assert_int_equal(sums.constructs[loop].ticks[STATE_RUN], 80);
  assert_int_equal(sums.constructs[loop].ticks[STATE_OVERHEAD], 20);
  assert_int_equal(sums.constructs[chunk].calls, 0);
  assert_int_equal(sums.constructs[chunk].ticks[STATE_RUN], 0);
  states_sums_free(&sums);
  pool_destroy(pool);
  trace_close(trace);
  fixture_destroy(f);
}

/* A region of Java's own; `state` as in its description. */
static uint32_t java_region(struct fixture *f, const char *name, const char *state)
{
  char description[64];
  snprintf(description, sizeof description, "since: 17; state: %s", state);
  uint32_t region = fixture_region(f, name, ROLE(THREAD_WAIT), OTF2_PARADIGM_PTHREAD, 7);
  fixture_describe(f, region, description);
  return region;
}

/* No thread has a state twice at a time nor none: random nonsense also adds up. */
static void conservation_on_random_events(void **state)
{
  (void)state;
  static const OTF2_RegionRole roles[] = {ROLE(PARALLEL), ROLE(LOOP),     ROLE(LOOP),           ROLE(SECTIONS),
                                          ROLE(SECTION),  ROLE(BARRIER),  ROLE(BARRIER),        ROLE(TASK_WAIT),
                                          ROLE(TASK),     ROLE(CRITICAL), ROLE(CRITICAL_SBLOCK)};
  enum { REGIONS = sizeof roles / sizeof *roles };
  struct fixture *f = fixture_create();
  uint32_t regions[REGIONS + 4];
  for (size_t i = 0; i < REGIONS; i++)
    regions[i] = fixture_openmp(f, i == 2 ? "chunk @x.c:1" : "!$omp thing @x.c:1", roles[i]);
  regions[REGIONS] = fixture_region(f, "TRACEFLUSH", ROLE(FUNCTION), OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  regions[REGIONS + 1] = java_region(f, "park", "blocked in condvar");
  regions[REGIONS + 2] = java_region(f, "garbage collection", "gc");
  regions[REGIONS + 3] = fixture_region(f, "notify", ROLE(FUNCTION), OTF2_PARADIGM_PTHREAD, 0);
  uint32_t threads[8];
  for (uint32_t i = 0; i < 8; i++)
    threads[i] = fixture_location(f, "thread");
  uint32_t team = fixture_team(f, threads, 8);
  uint32_t random = 12345;
  for (uint32_t i = 0; i < 8; i++) {
    uint64_t time = 1000 * i;
    for (int event = 0; event < 5000; event++) {
      random = random * 1664525 + 1013904223;
      uint32_t what = random >> 24;
      time += random >> 16 & 7;
      uint32_t region = regions[(random >> 8 & 0xff) % (REGIONS + 4)];
      if (what < 110)
        fixture_enter(f, threads[i], time, region);
      else if (what < 220)
        fixture_leave(f, threads[i], time, region);
      else if (what < 226)
        fixture_team_begin(f, threads[i], time, team);
      else if (what < 232)
        fixture_team_end(f, threads[i], time, team);
      else if (what < 236)
        fixture_fork(f, threads[i], time);
      else if (what < 240)
        fixture_join(f, threads[i], time);
      else if (what < 248)
        fixture_measurement(f, threads[i], time, what & 1);
      else
        fixture_acquire(f, threads[i], time);
    }
  }
  struct error error;
  struct trace *trace = trace_open(fixture_finish(f), &error);
  assert_non_null(trace);
  struct pool *pool = pool_create(3);
  struct states_sums sums;
  assert_true(analysis_find(&states_sums_analysis, trace, pool, NULL, &sums, &error));
  uint64_t by_thread[STATES] = {0}, by_construct[STATES] = {0};
  for (uint32_t i = 0; i < 8; i++) {
    uint64_t sum = 0;
    for (unsigned s = 0; s < STATES; s++) {
      sum += sums.threads[i].ticks[s];
      by_thread[s] += sums.threads[i].ticks[s];
    }
    assert_int_equal(sum, sums.threads[i].last - sums.threads[i].first);
    assert_int_equal(sums.threads[i].events, 5000);
  }
  for (uint32_t i = 0; i <= trace->region_count; i++)
    for (unsigned s = 0; s < STATES; s++)
      by_construct[s] += sums.constructs[i].ticks[s];
  assert_memory_equal(by_thread, by_construct, sizeof by_thread);
  states_sums_free(&sums);
  pool_destroy(pool);
  trace_close(trace);
  fixture_destroy(f);
}

static void java_threads(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "main");
  fixture_thread_type(f, thread, "java");
  uint32_t init = java_region(f, "thread start", "init"), enter = java_region(f, "monitor enter", "blocked in mutex");
  uint32_t wait = java_region(f, "Object.wait", "blocked in condvar"), yield = java_region(f, "yield", "spin");
  uint32_t gc = java_region(f, "garbage collection", "gc"), idle = java_region(f, "idle", "idle");
  uint32_t unknown = java_region(f, "new", "blocked in mutexes");
  uint32_t note = fixture_region(f, "virtual thread", ROLE(FUNCTION), OTF2_PARADIGM_PTHREAD, 0);
  const uint32_t regions[] = {init, enter, wait, yield, gc, idle, unknown};
  fixture_thread_begin(f, thread, 0);
  fixture_enter(f, thread, 0, regions[0]);
  fixture_leave(f, thread, 10, regions[0]);
  fixture_enter(f, thread, 15, note);
  for (unsigned i = 1; i < 7; i++) {
    fixture_enter(f, thread, 10 + 10 * i, regions[i]);
    fixture_leave(f, thread, 15 + 10 * i, regions[i]);
  }
  fixture_enter(f, thread, 80, wait); /* got what it waited for, but not the monitor */
  fixture_enter(f, thread, 85, enter);
  fixture_leave(f, thread, 88, enter);
  fixture_leave(f, thread, 90, wait);
  fixture_leave(f, thread, 95, note);
  fixture_thread_end(f, thread, 100);
  EXPECT(f, thread, {STATE_INIT, 0, 10}, {STATE_RUN, 10, 15}, {STATE_RUN, 15, 20}, {STATE_BLOCKED_MUTEX, 20, 25},
         {STATE_RUN, 25, 30}, {STATE_BLOCKED_CONDVAR, 30, 35}, {STATE_RUN, 35, 40}, {STATE_SPIN, 40, 45},
         {STATE_RUN, 45, 50}, {STATE_GC, 50, 55}, {STATE_RUN, 55, 60}, {STATE_IDLE, 60, 65}, {STATE_RUN, 65, 70},
         {STATE_RUN, 70, 75}, {STATE_RUN, 75, 80}, {STATE_BLOCKED_CONDVAR, 80, 85}, {STATE_BLOCKED_MUTEX, 85, 88},
         {STATE_BLOCKED_CONDVAR, 88, 90}, {STATE_RUN, 90, 95}, {STATE_RUN, 95, 100});
}

/* Between their events, the states of the JVM's own threads are unknown. */
static void threads_of_the_jvm(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "VM Thread");
  fixture_thread_type(f, thread, "jvm");
  uint32_t gc = java_region(f, "garbage collection", "gc");
  fixture_thread_begin(f, thread, 0);
  fixture_enter(f, thread, 10, gc);
  fixture_leave(f, thread, 30, gc);
  fixture_thread_end(f, thread, 100);
  EXPECT(f, thread, {STATE_UNMEASURED, 0, 10}, {STATE_GC, 10, 30}, {STATE_UNMEASURED, 30, 100});
}

/* A runtime of parallel regions has the better reason for a wait, but not for garbage collection. */
static void java_runtimes(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "worker");
  fixture_thread_type(f, thread, "worker");
  uint32_t team = fixture_team(f, &thread, 1);
  uint32_t wait = java_region(f, "Object.wait", "blocked in condvar"), gc = java_region(f, "gc", "gc");
  uint32_t barrier = fixture_openmp(f, "//omp barrier @a.java:1", ROLE(BARRIER));
  uint32_t barrier_wait = fixture_openmp(f, "//omp barrier wait @a.java:1", ROLE(BARRIER));
  uint32_t loop = fixture_openmp(f, "//omp for @a.java:2", ROLE(LOOP));
  uint32_t chunk = fixture_openmp(f, "chunk @a.java:2", ROLE(LOOP));
  uint32_t reduction = fixture_openmp(f, "//omp reduction @a.java:3", ROLE(FUNCTION));
  fixture_thread_begin(f, thread, 0);
  fixture_enter(f, thread, 5, wait);
  fixture_leave(f, thread, 8, wait);
  fixture_team_begin(f, thread, 10, team);
  fixture_enter(f, thread, 10, loop);
  fixture_enter(f, thread, 12, gc); /* the loop's first chunk is still to come */
  fixture_leave(f, thread, 14, gc);
  fixture_enter(f, thread, 16, chunk);
  fixture_enter(f, thread, 18, wait);
  fixture_leave(f, thread, 20, wait);
  fixture_leave(f, thread, 22, chunk);
  fixture_leave(f, thread, 23, loop);
  fixture_enter(f, thread, 30, barrier);
  fixture_enter(f, thread, 31, barrier_wait);
  fixture_enter(f, thread, 32, wait);
  fixture_leave(f, thread, 34, wait);
  fixture_enter(f, thread, 35, gc);
  fixture_leave(f, thread, 36, gc);
  fixture_leave(f, thread, 38, barrier_wait);
  fixture_leave(f, thread, 39, barrier);
  fixture_enter(f, thread, 40, reduction);
  fixture_leave(f, thread, 45, reduction);
  fixture_team_end(f, thread, 50, team);
  fixture_enter(f, thread, 55, gc);
  fixture_leave(f, thread, 60, gc);
  fixture_thread_end(f, thread, 70);
  /* Waits while idle, and waits in a barrier, keep the state around them: */
  EXPECT(f, thread, {STATE_IDLE, 0, 10}, {STATE_OVERHEAD, 10, 12}, {STATE_GC, 12, 14}, {STATE_OVERHEAD, 14, 16},
         {STATE_RUN, 16, 18}, {STATE_BLOCKED_CONDVAR, 18, 20}, {STATE_RUN, 20, 22}, {STATE_OVERHEAD, 22, 23},
         {STATE_RUN, 23, 30}, {STATE_OVERHEAD, 30, 31}, {STATE_SYNCH_BARRIER, 31, 35}, {STATE_GC, 35, 36},
         {STATE_SYNCH_BARRIER, 36, 38}, {STATE_OVERHEAD, 38, 39}, {STATE_RUN, 39, 40}, {STATE_SYNCH_REDUCTION, 40, 45},
         {STATE_RUN, 45, 50}, {STATE_IDLE, 50, 55}, {STATE_GC, 55, 60}, {STATE_IDLE, 60, 70});
}

static void expect_listed(const struct trace *trace, bool processors, bool pthreads)
{
  bool listed[STATES];
  states_listed(trace, listed);
  for (unsigned state = 0; state < STATES; state++)
    assert_int_equal(listed[state], state < STATE_READY ? true : state <= STATE_OFF ? processors : pthreads);
}

/* Waits of POSIX threads are SYNCH, with the kind of object; without a processor they stay what they are. What wakes
 * has the state around it. */
static void pthreads(void **state)
{
  (void)state;
  static const struct {
    const char *name, *state;
  } waits[] = {{"pthread mutex", "synch pthread mutex"},         {"pthread rwlock read", "synch pthread rwlock"},
               {"pthread condition", "synch pthread condition"}, {"semaphore", "synch semaphore"},
               {"pthread barrier", "synch pthread barrier"},     {"pthread join", "synch join"}};
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "main");
  uint32_t note = fixture_region(f, "pthread unlock", ROLE(FUNCTION), OTF2_PARADIGM_PTHREAD, 0);
  uint32_t off = fixture_region(f, "off", ROLE(ARTIFICIAL), OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  fixture_describe(f, off, "state: off");
  fixture_thread_type(f, thread, "initial");
  fixture_thread_begin(f, thread, 0);
  for (unsigned i = 0; i < 6; i++) {
    uint32_t region = java_region(f, waits[i].name, waits[i].state);
    fixture_enter(f, thread, 10 + 10 * i, region);
    if (i == 0) {
      fixture_enter(f, thread, 11, off);
      fixture_leave(f, thread, 13, off);
    }
    fixture_enter(f, thread, 14 + 10 * i, note);
    fixture_leave(f, thread, 14 + 10 * i, note);
    fixture_leave(f, thread, 15 + 10 * i, region);
  }
  fixture_thread_end(f, thread, 70);
  EXPECT(f, thread, {STATE_RUN, 0, 10}, {STATE_SYNCH_PTHREAD_MUTEX, 10, 15}, {STATE_RUN, 15, 20},
         {STATE_SYNCH_PTHREAD_RWLOCK, 20, 25}, {STATE_RUN, 25, 30}, {STATE_SYNCH_PTHREAD_CONDITION, 30, 35},
         {STATE_RUN, 35, 40}, {STATE_SYNCH_SEMAPHORE, 40, 45}, {STATE_RUN, 45, 50},
         {STATE_SYNCH_PTHREAD_BARRIER, 50, 55}, {STATE_RUN, 55, 60}, {STATE_SYNCH_JOIN, 60, 65}, {STATE_RUN, 65, 70});
  assert_int_equal(state_of_thread(STATE_SYNCH_PTHREAD_RWLOCK), STATE_BLOCKED_MUTEX);
  assert_int_equal(state_of_thread(STATE_SYNCH_JOIN), STATE_BLOCKED_CONDVAR);
  assert_int_equal(state_of_thread(STATE_SYNCH_BARRIER), STATE_SYNCH_BARRIER);
}

/* In a barrier a thread yields and has no processor for a time; later it waits for a mutex. */
static struct fixture *waits_at_levels(uint32_t *thread, bool switches)
{
  struct fixture *f = fixture_create();
  uint32_t yield = java_region(f, "Thread.yield @A.java:1", "spin");
  uint32_t mutex = java_region(f, "pthread mutex", "synch pthread mutex");
  uint32_t off = fixture_region(f, "off", ROLE(ARTIFICIAL), OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  uint32_t barrier = fixture_openmp(f, "!$omp barrier @a.c:1", ROLE(BARRIER));
  uint32_t part = fixture_openmp(f, "!$omp barrier wait @a.c:1", ROLE(BARRIER));
  *thread = fixture_location(f, "main");
  if (switches)
    fixture_describe(f, off, "state: off");
  fixture_thread_type(f, *thread, "initial");
  uint32_t team = fixture_team(f, thread, 1);
  fixture_team_begin(f, *thread, 0, team);
  fixture_enter(f, *thread, 10, barrier);
  fixture_enter(f, *thread, 10, part);
  fixture_enter(f, *thread, 12, yield);
  fixture_leave(f, *thread, 15, yield);
  fixture_enter(f, *thread, 16, off);
  fixture_leave(f, *thread, 18, off);
  fixture_leave(f, *thread, 30, part);
  fixture_leave(f, *thread, 30, barrier);
  fixture_enter(f, *thread, 35, mutex);
  fixture_enter(f, *thread, 36, off);
  fixture_leave(f, *thread, 37, off);
  fixture_leave(f, *thread, 40, mutex);
  fixture_team_end(f, *thread, 50, team);
  return f;
}

/* The time of waits in a barrier is the barrier's; at the level of threads it is what the thread did. */
static void levels(void **state)
{
  (void)state;
  uint32_t thread;
  struct fixture *f = waits_at_levels(&thread, true);
  EXPECT(f, thread, {STATE_RUN, 0, 10}, {STATE_SYNCH_BARRIER, 10, 30}, {STATE_RUN, 30, 35},
         {STATE_SYNCH_PTHREAD_MUTEX, 35, 40}, {STATE_RUN, 40, 50});
  f = waits_at_levels(&thread, true);
  EXPECT_AT(true, f, thread, {STATE_RUN, 0, 10}, {STATE_RUN, 10, 12}, {STATE_SPIN, 12, 15}, {STATE_RUN, 15, 16},
            {STATE_OFF, 16, 18}, {STATE_RUN, 18, 30}, {STATE_RUN, 30, 35}, {STATE_BLOCKED_MUTEX, 35, 40},
            {STATE_RUN, 40, 50});
  /* Who does not know when the thread had a processor does not know that it ran. */
  f = waits_at_levels(&thread, false);
  EXPECT_AT(true, f, thread, {STATE_RUN, 0, 10}, {STATE_SYNCH_BARRIER, 10, 12}, {STATE_SPIN, 12, 15},
            {STATE_SYNCH_BARRIER, 15, 16}, {STATE_SYNCH_BARRIER, 16, 18}, {STATE_SYNCH_BARRIER, 18, 30},
            {STATE_RUN, 30, 35}, {STATE_BLOCKED_MUTEX, 35, 36}, {STATE_BLOCKED_MUTEX, 36, 37},
            {STATE_BLOCKED_MUTEX, 37, 40}, {STATE_RUN, 40, 50});
}

/* Without a processor a thread that would run is READY or OFF; a wait stays what it is, and says how long. Lists have
 * both states where they may occur. */
static void ready_and_off(void **state)
{
  (void)state;
  uint32_t team;
  struct fixture *f = in_team(&team);
  uint32_t barrier = fixture_openmp(f, "!$omp barrier @a.c:1", ROLE(BARRIER));
  uint32_t ready = fixture_region(f, "ready", ROLE(ARTIFICIAL), OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  uint32_t off = fixture_region(f, "off", ROLE(ARTIFICIAL), OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  fixture_describe(f, ready, "state: ready");
  fixture_describe(f, off, "state: off");
  fixture_enter(f, 0, 10, ready);
  fixture_leave(f, 0, 20, ready);
  fixture_enter(f, 0, 30, barrier);
  fixture_enter(f, 0, 40, ready);
  fixture_leave(f, 0, 50, ready);
  fixture_enter(f, 0, 60, off);
  fixture_leave(f, 0, 70, off);
  fixture_leave(f, 0, 80, barrier);
  fixture_team_end(f, 0, 90, team);
  struct trace_region regions[] = {
      {.description = "state: gc"}, {.description = "state: off"}, {.description = "state: synch join"}};
  expect_listed(&(struct trace){.regions = regions, .region_count = 1}, false, false);
  expect_listed(&(struct trace){.regions = regions, .region_count = 2}, true, false);
  expect_listed(&(struct trace){.regions = regions, .region_count = 3}, true, true);
  EXPECT(f, 0, {STATE_RUN, 0, 10}, {STATE_READY, 10, 20}, {STATE_RUN, 20, 30}, {STATE_SYNCH_BARRIER, 30, 80},
         {STATE_RUN, 80, 90});
}

/* A wait without a processor stays a wait, also where it is decided later what it is; its time is summed beside. */
static void waits_without_a_processor(void **state)
{
  (void)state;
  uint32_t team;
  struct fixture *f = in_team(&team);
  uint32_t barrier = fixture_openmp(f, "!$omp barrier @a.c:1", ROLE(BARRIER));
  uint32_t wait = fixture_openmp(f, "!$omp barrier wait @a.c:1", ROLE(BARRIER));
  uint32_t off = fixture_region(f, "off", ROLE(ARTIFICIAL), OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  fixture_describe(f, off, "state: off");
  fixture_enter(f, 0, 10, barrier);
  fixture_enter(f, 0, 12, off);
  fixture_leave(f, 0, 13, off);
  fixture_enter(f, 0, 15, wait);
  fixture_enter(f, 0, 20, off);
  fixture_leave(f, 0, 27, off);
  fixture_enter(f, 0, 30, off);
  fixture_leave(f, 0, 32, off);
  fixture_leave(f, 0, 40, wait);
  fixture_leave(f, 0, 41, barrier);
  fixture_enter(f, 0, 50, off);
  fixture_leave(f, 0, 53, off);
  fixture_team_end(f, 0, 60, team);
  struct error error;
  struct trace *trace = trace_open(fixture_finish(f), &error);
  struct pool *pool = pool_create(1);
  struct states_sums sums;
  assert_true(trace && analysis_find(&states_sums_analysis, trace, pool, NULL, &sums, &error));
  const struct states_thread *thread = &sums.threads[0];
  assert_int_equal(thread->ticks[STATE_SYNCH_BARRIER], 25);
  assert_int_equal(thread->off[STATE_SYNCH_BARRIER], 9);
  assert_int_equal(thread->ticks[STATE_OVERHEAD], 6);
  assert_int_equal(thread->off[STATE_OVERHEAD], 1);
  assert_int_equal(thread->ticks[STATE_OFF], 3);
  assert_int_equal(thread->off[STATE_OFF], 0);
  assert_int_equal(sums.constructs[off].calls, 0);
  assert_int_equal(sums.constructs[barrier].ticks[STATE_SYNCH_BARRIER], 25);
  states_sums_free(&sums);
  pool_destroy(pool);
  trace_close(trace);
  fixture_destroy(f);
}

/* A loop with unknown later chunks, while the kernel takes the processor away again and again. */
static void many_preemptions_in_what_is_undecided(void **state)
{
  (void)state;
  uint32_t team;
  struct fixture *f = in_team(&team);
  uint32_t loop = fixture_openmp(f, "!$omp for @a.c:1", ROLE(LOOP));
  uint32_t ready = fixture_region(f, "ready", ROLE(ARTIFICIAL), OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  fixture_describe(f, ready, "state: ready");
  fixture_enter(f, 0, 10, loop);
  for (uint64_t i = 0; i < 6; i++) {
    fixture_enter(f, 0, 20 + 10 * i, ready);
    fixture_leave(f, 0, 25 + 10 * i, ready);
  }
  fixture_leave(f, 0, 90, loop);
  fixture_team_end(f, 0, 100, team);
  EXPECT(f, 0, {STATE_RUN, 0, 10}, {STATE_RUN, 10, 20}, {STATE_READY, 20, 25}, {STATE_RUN, 25, 30},
         {STATE_READY, 30, 35}, {STATE_RUN, 35, 40}, {STATE_READY, 40, 45}, {STATE_RUN, 45, 50}, {STATE_READY, 50, 55},
         {STATE_RUN, 55, 60}, {STATE_READY, 60, 65}, {STATE_RUN, 65, 70}, {STATE_READY, 70, 75}, {STATE_RUN, 75, 90},
         {STATE_RUN, 90, 100});
}

/* What an accelerator does, and when a metric was read, is in no sum over threads. */
static void devices_are_no_threads(void **state)
{
  (void)state;
  static const OTF2_LocationType kinds[] = {OTF2_LOCATION_TYPE_CPU_THREAD, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
                                            OTF2_LOCATION_TYPE_METRIC, OTF2_LOCATION_TYPE_UNKNOWN};
  struct fixture *f = fixture_create();
  uint32_t region = fixture_region(f, "work", ROLE(FUNCTION), OTF2_PARADIGM_USER, 1);
  for (uint32_t i = 0; i < 4; i++) {
    fixture_location_kind(f, fixture_location(f, "location"), kinds[i]);
    fixture_enter(f, i, 10, region);
    fixture_leave(f, i, 20 + i, region);
  }
  struct error error;
  struct trace *trace = trace_open(fixture_finish(f), &error);
  struct pool *pool = pool_create(2);
  struct census census;
  struct states_sums sums;
  struct imbalance imbalance;
  struct locks locks;
  assert_true(trace && analysis_find(&census_analysis, trace, pool, NULL, &census, &error) &&
              analysis_find(&states_sums_analysis, trace, pool, NULL, &sums, &error) &&
              find_imbalance(trace, pool, &imbalance, &error) &&
              analysis_find(&locks_analysis, trace, pool, NULL, &locks, &error));
  assert_int_equal(census.events, 8);
  assert_int_equal(census.threads, 2);
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(sums.threads[i].events, i == 0 || i == 3 ? 2 : 0);
  assert_int_equal(sums.constructs[region].calls, 2);
  assert_int_equal(sums.constructs[region].ticks[STATE_RUN], 10 + 13);
  assert_int_equal(imbalance.lifetimes, 10 + 13);
  assert_int_equal(locks.lifetimes, 10 + 13);
  analysis_free(&census_analysis, &census);
  states_sums_free(&sums);
  analysis_free(&imbalance_analysis, &imbalance);
  analysis_free(&locks_analysis, &locks);
  pool_destroy(pool);
  trace_close(trace);
  fixture_destroy(f);
}

/* Executions count by their weights; times are what was recorded. */
static void weights(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "thread");
  uint32_t region = fixture_region(f, "work", ROLE(FUNCTION), OTF2_PARADIGM_USER, 1);
  fixture_enter(f, thread, 0, region);
  fixture_leave(f, thread, 1, region);
  fixture_enter_weighted(f, thread, 10, region, 40);
  fixture_leave(f, thread, 12, region);
  fixture_enter_weighted(f, thread, 20, region, 500);
  fixture_leave(f, thread, 24, region);
  fixture_enter_weighted(f, thread, 30, region, 0); /* damage: it was there at least once */
  fixture_leave(f, thread, 38, region);
  struct error error;
  struct trace *trace = trace_open(fixture_finish(f), &error);
  struct pool *pool = pool_create(1);
  struct census census;
  struct states_sums sums;
  assert_true(trace && analysis_find(&census_analysis, trace, pool, NULL, &census, &error) &&
              analysis_find(&states_sums_analysis, trace, pool, NULL, &sums, &error));
  assert_int_equal(census.events, 8);
  assert_int_equal(census.kinds[TRACE_Enter], 4);
  assert_int_equal(census.enters[region], 1 + 40 + 500 + 1);
  assert_int_equal(sums.constructs[region].calls, 1 + 40 + 500 + 1);
  assert_int_equal(sums.constructs[region].ticks[STATE_RUN], 1 + 2 + 4 + 8);
  analysis_free(&census_analysis, &census);
  states_sums_free(&sums);
  pool_destroy(pool);
  trace_close(trace);
  fixture_destroy(f);
}

/* The exclusive time of a construct with omitted executions: a nested region and a part in it, and executions after the
 * last one. */
static void omitted_constructs(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "thread"), other = fixture_location(f, "other");
  uint32_t critical = fixture_openmp(f, "!$omp critical @a.c:1", ROLE(CRITICAL));
  uint32_t block = fixture_openmp(f, "!$omp critical sblock @a.c:1", ROLE(CRITICAL_SBLOCK));
  uint32_t inner = fixture_openmp(f, "!$omp scope @a.c:2", ROLE(WORKSHARE));
  uint32_t skipped = fixture_region(f, "skipped instances", ROLE(FUNCTION), OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  fixture_enter_weighted(f, thread, 0, critical, 2);
  fixture_enter(f, thread, 4, block);
  fixture_leave(f, thread, 9, block);
  fixture_leave(f, thread, 10, critical);
  fixture_enter_weighted(f, thread, 100, critical, 5);
  fixture_enter(f, thread, 104, block);
  fixture_enter(f, thread, 105, inner);
  fixture_leave(f, thread, 155, inner);
  fixture_leave(f, thread, 160, block);
  fixture_leave(f, thread, 170, critical);
  fixture_omitted(f, thread, 200, skipped, (struct fixture_instances){critical, 3});
  fixture_enter(f, other, 0, critical);
  fixture_leave(f, other, 7, critical);
  struct error error;
  struct trace *trace = trace_open(fixture_finish(f), &error);
  struct pool *pool = pool_create(2);
  struct census census;
  struct states_sums sums;
  assert_true(trace && analysis_find(&census_analysis, trace, pool, NULL, &census, &error) &&
              analysis_find(&states_sums_analysis, trace, pool, NULL, &sums, &error));
  assert_int_equal(census.enters[critical], 2 + 5 + 3 + 1);
  assert_int_equal(sums.constructs[critical].calls, 2 + 5 + 3 + 1);
  assert_int_equal(sums.estimated_count, 1);
  assert_int_equal(sums.estimated[0].region, critical);
  assert_int_equal(sums.estimated[0].location, thread);
  struct estimate more = states_sums_more(&sums, critical), none = states_sums_more(&sums, inner);
  assert_true(estimate_more(&more) == 10 + 4 * 15 + 3 * 20); /* 10 and 20 ticks are recorded */
  assert_int_equal(more.omitted, 8);
  assert_true(more.variance == (1 + 1) * 50 + 24 * 50 + (9 + 3) * 50);
  assert_int_equal(none.omitted, 0);
  analysis_free(&census_analysis, &census);
  states_sums_free(&sums);
  pool_destroy(pool);
  trace_close(trace);
  fixture_destroy(f);
}

/* Time that was not measured in an execution says nothing about omitted ones. */
static void omitted_and_not_measured(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "thread");
  uint32_t critical = fixture_openmp(f, "!$omp critical @a.c:1", ROLE(CRITICAL));
  fixture_enter_weighted(f, thread, 0, critical, 2);
  fixture_leave(f, thread, 10, critical);
  fixture_enter_weighted(f, thread, 100, critical, 1);
  fixture_measurement(f, thread, 104, 0);
  fixture_measurement(f, thread, 1000, 1);
  fixture_leave(f, thread, 1006, critical);
  fixture_enter_weighted(f, thread, 1100, critical, 5);
  fixture_leave(f, thread, 1110, critical);
  struct error error;
  struct trace *trace = trace_open(fixture_finish(f), &error);
  struct pool *pool = pool_create(2);
  struct states_sums sums;
  assert_true(trace && analysis_find(&states_sums_analysis, trace, pool, NULL, &sums, &error));
  struct estimate more = states_sums_more(&sums, critical);
  assert_int_equal(more.omitted, 5);
  assert_true(estimate_more(&more) == 50);
  states_sums_free(&sums);
  pool_destroy(pool);
  trace_close(trace);
  fixture_destroy(f);
}

UNIT_TEST(states)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outside_teams),
      cmocka_unit_test(worker_by_first_event),
      cmocka_unit_test(user_code_inherits),
      cmocka_unit_test(loop_with_chunks),
      cmocka_unit_test(loop_without_chunks),
      cmocka_unit_test(traceflush_while_undecided),
      cmocka_unit_test(sections_and_single),
      cmocka_unit_test(barrier_with_waiting_part),
      cmocka_unit_test(barrier_as_others_write_it),
      cmocka_unit_test(locks_atomic_ordered),
      cmocka_unit_test(taskgroup_taskwait_reduction),
      cmocka_unit_test(measurement_off_and_buffer_flush),
      cmocka_unit_test(nested_teams),
      cmocka_unit_test(unbalanced),
      cmocka_unit_test(local_references_and_clocks),
      cmocka_unit_test(constructs_own_their_parts),
      cmocka_unit_test(java_threads),
      cmocka_unit_test(threads_of_the_jvm),
      cmocka_unit_test(java_runtimes),
      cmocka_unit_test(pthreads),
      cmocka_unit_test(levels),
      cmocka_unit_test(ready_and_off),
      cmocka_unit_test(waits_without_a_processor),
      cmocka_unit_test(many_preemptions_in_what_is_undecided),
      cmocka_unit_test(devices_are_no_threads),
      cmocka_unit_test(weights),
      cmocka_unit_test(omitted_constructs),
      cmocka_unit_test(omitted_and_not_measured),
      cmocka_unit_test(conservation_on_random_events),
  };
  return cmocka_run_group_tests_name("states", tests, NULL, NULL);
}
