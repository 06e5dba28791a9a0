/* Edges between threads: the exact edges of small archives, of a part of a run, and of processes put together. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/unit.h"

#include "analyzer/trace/edges/edges.h"
#include "analyzer/trace/pass/pass.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL ((1U << EDGE_KINDS) - 1)

enum { TEXT_ROOM = 4096 };

/* An ordered subscriber with edges, as edges.h describes it. */
struct finder {
  const struct trace *trace;
  uint8_t *rules;
  unsigned kinds;
  uint32_t process; /* whose locations have events; TRACE_NONE: all */
  struct edges *edges;
  char *text; /* a line an edge */
};

struct lane {
  const struct finder *finder;
  struct edge_reader reader;
  struct item_queue queue;
  bool chosen;
};

struct item {
  uint64_t time;
  struct edge_step step;
};

static bool write_edge(void *context, const struct edge *edge)
{
  const struct finder *finder = context;
  char region[32] = "";
  size_t used = strlen(finder->text);
  if (edge->region != TRACE_NONE)
    snprintf(region, sizeof region, " in %s", finder->trace->regions[edge->region].name);
  snprintf(finder->text + used, TEXT_ROOM - used, "%s %u@%" PRIu64 " > %u@%" PRIu64 "%s of %" PRIx64 "\n",
           edge_kind_name(edge->kind), edge->from, edge->from_time, edge->to, edge->time, region, edge->object);
  return true;
}

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct finder *finder = context;
  struct lane *lane = calloc(1, sizeof *lane);
  assert_non_null(lane);
  (void)error;
  *lane = (struct lane){.finder = finder,
                        .reader = edge_reader_of(finder->rules, finder->kinds),
                        .queue = {.size = sizeof(struct item), .time_at = offsetof(struct item, time)}};
  lane->chosen = finder->process == TRACE_NONE || finder->process == finder->trace->locations[location->number].process;
  return lane;
}

static bool take_event(void *of, const struct trace_event *event)
{
  struct lane *lane = of;
  struct item item = {.time = event->time};
  bool found = false;
  assert_true(!lane->chosen || edge_reader_take(&lane->reader, event, &item.step, &found));
  if (found)
    *(struct item *)item_queue_add(&lane->queue) = item;
  return true;
}

static void close_lane(void *context, void *of)
{
  struct lane *lane = of;
  (void)context;
  edge_reader_free(&lane->reader);
  item_queue_free(&lane->queue);
  free(lane);
}

static struct item_queue *queue(void *of)
{
  struct lane *lane = of;
  return &lane->queue;
}

static bool take_item(void *context, uint32_t location, void *of)
{
  const struct finder *finder = context;
  const struct item *item = of;
  return edges_take(finder->edges, location, item->time, &item->step);
}

/* The edges of a trace, a line each. The caller frees them. */
static char *edges_of(const struct trace *trace, unsigned kinds, uint32_t process)
{
  struct error error = {""};
  struct finder finder = {.trace = trace, .rules = machine_rules(trace), .kinds = kinds, .process = process};
  struct pool *pool = pool_create(2);
  finder.edges = edges_create(trace, kinds, write_edge, &finder);
  finder.text = calloc(TEXT_ROOM, 1);
  assert_true(finder.rules && finder.edges && finder.text && pool);
  struct subscriber subscriber = {.context = &finder,
                                  .stateless = true,
                                  .before = true,
                                  .others = true,
                                  .open = open_lane,
                                  .event = take_event,
                                  .close = close_lane,
                                  .queue = queue,
                                  .take = take_item};
  const struct subscriber *list[] = {&subscriber};
  if (!pass_in_order(trace, pool, list, 1, &error))
    fail_msg("%s", error.message);
  edges_destroy(finder.edges);
  pool_destroy(pool);
  free(finder.rules);
  return finder.text;
}

static struct trace *open_trace(struct fixture *fixture)
{
  struct error error = {""};
  struct trace *trace = trace_open(fixture_finish(fixture), &error);
  if (!trace)
    fail_msg("%s", error.message);
  return trace;
}

static void expect_of(const struct trace *trace, unsigned kinds, const char *expected)
{
  char *text = edges_of(trace, kinds, TRACE_NONE);
  assert_string_equal(text, expected);
  free(text);
}

/* Finishes the archive, and removes it. */
static void expect(struct fixture *fixture, const char *expected)
{
  struct trace *trace = open_trace(fixture);
  expect_of(trace, ALL, expected);
  trace_close(trace);
  fixture_destroy(fixture);
}

/* Threads 0, 1, ... */
static void add_threads(struct fixture *fixture, uint32_t threads[], uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    threads[i] = fixture_location(fixture, "thread");
}

static void be_in_team(struct fixture *fixture, uint32_t thread, uint64_t from, uint64_t to, uint32_t team)
{
  fixture_team_begin(fixture, thread, from, team);
  fixture_team_end(fixture, thread, to, team);
}

/* In the second instance a thread is in the team before the thread that forked it; in the third one is left behind. */
static void teams_are_forked_and_joined(void **state)
{
  struct fixture *fixture = fixture_create();
  uint32_t parallel = fixture_openmp(fixture, "parallel", OTF2_REGION_ROLE_PARALLEL), t[3];
  (void)state;
  add_threads(fixture, t, 3);
  uint32_t team = fixture_team(fixture, t, 3);
  for (uint64_t time = 100; time <= 300; time += 100) {
    fixture_enter(fixture, 0, time, parallel);
    fixture_fork(fixture, 0, time);
    be_in_team(fixture, 0, time + 10, time + 50, team);
    be_in_team(fixture, 1, time + (time == 200 ? 5 : 20), time + 40, team);
    fixture_team_begin(fixture, 2, time + 30, team);
    if (time < 300)
      fixture_team_end(fixture, 2, time + 55, team);
    fixture_join(fixture, 0, time + 60);
    fixture_leave(fixture, 0, time + 61, parallel);
  }
  expect(fixture, "fork 0@100 > 1@120 in parallel of 0\n"
                  "fork 0@100 > 2@130 in parallel of 0\n"
                  "join 1@140 > 0@160 in parallel of 0\n"
                  "join 2@155 > 0@160 in parallel of 0\n"
                  "fork 0@200 > 1@205 in parallel of 0\n"
                  "fork 0@200 > 2@230 in parallel of 0\n"
                  "join 1@240 > 0@260 in parallel of 0\n"
                  "join 2@255 > 0@260 in parallel of 0\n"
                  "fork 0@300 > 1@320 in parallel of 0\n"
                  "fork 0@300 > 2@330 in parallel of 0\n"
                  "join 1@340 > 0@360 in parallel of 0\n");
}

/* Both members of a team fork teams of their own, at overlapping times. */
static void nested_teams_have_their_own_edges(void **state)
{
  struct fixture *fixture = fixture_create();
  uint32_t outer = fixture_openmp(fixture, "outer", OTF2_REGION_ROLE_PARALLEL);
  uint32_t inner = fixture_openmp(fixture, "inner", OTF2_REGION_ROLE_PARALLEL), t[4];
  (void)state;
  add_threads(fixture, t, 4);
  const uint32_t left[] = {0, 2}, right[] = {1, 3};
  uint32_t teams[] = {fixture_team(fixture, t, 2), fixture_team(fixture, left, 2), fixture_team(fixture, right, 2)};
  fixture_enter(fixture, 0, 10, outer);
  fixture_fork(fixture, 0, 10);
  for (uint32_t i = 0; i < 2; i++) {
    fixture_team_begin(fixture, i, 11 + i, teams[0]);
    fixture_enter(fixture, i, 20 + i, inner);
    fixture_fork(fixture, i, 20 + i);
    be_in_team(fixture, i, 26 + i, 30 + i, teams[1 + i]);
    be_in_team(fixture, 2 + i, 24 + i, 32 + i, teams[1 + i]); /* before the thread that forked */
    fixture_join(fixture, i, 40 + i);
    fixture_leave(fixture, i, 40 + i, inner);
    fixture_team_end(fixture, i, 50 + i, teams[0]);
  }
  fixture_join(fixture, 0, 60);
  fixture_leave(fixture, 0, 60, outer);
  expect(fixture, "fork 0@10 > 1@12 in outer of 0\n"
                  "fork 0@20 > 2@24 in inner of 1\n"
                  "fork 1@21 > 3@25 in inner of 2\n"
                  "join 2@32 > 0@40 in inner of 1\n"
                  "join 3@33 > 1@41 in inner of 2\n"
                  "join 1@51 > 0@60 in outer of 0\n");
}

/* A fork in the very tick in which a member joins, and behind the member's events. Also teams deeper than the limit:
 * the innermost ones are followed. */
static void forks_of_the_same_time_and_deep_ones(void **state)
{
  struct fixture *fixture = fixture_create();
  uint32_t t[2];
  (void)state;
  add_threads(fixture, t, 2);
  uint32_t team = fixture_team(fixture, t, 2), alone = fixture_team(fixture, &t[1], 1);
  for (uint64_t i = 0; i < 30; i++) {
    fixture_fork(fixture, 1, 100 + i);
    fixture_team_begin(fixture, 1, 100 + i, alone);
  }
  fixture_fork(fixture, 1, 200);
  be_in_team(fixture, 0, 200, 210, team);
  be_in_team(fixture, 1, 205, 211, team);
  fixture_join(fixture, 1, 220);
  for (uint64_t i = 0; i < 30; i++) {
    fixture_team_end(fixture, 1, 300 + i, alone);
    fixture_join(fixture, 1, 300 + i);
  }
  expect(fixture, "fork 1@200 > 0@200 of 0\n"
                  "join 0@210 > 1@220 of 0\n");
}

/* A critical section, which is entered and acquired; it is released at its end. */
static void be_critical(struct fixture *fixture, uint32_t thread, const uint64_t times[3], uint32_t region)
{
  fixture_enter(fixture, thread, times[0], region);
  fixture_lock(fixture, thread, times[1], 7);
  fixture_unlock(fixture, thread, times[2], 7);
  fixture_leave(fixture, thread, times[2], region);
}

static void who_waited_for_a_lock_got_it_from_the_last_one(void **state)
{
  struct fixture *fixture = fixture_create();
  uint32_t critical = fixture_openmp(fixture, "critical", OTF2_REGION_ROLE_CRITICAL), t[3];
  (void)state;
  add_threads(fixture, t, 3);
  be_critical(fixture, 0, (uint64_t[]){10, 10, 20}, critical);
  be_critical(fixture, 1, (uint64_t[]){20, 21, 30}, critical); /* asked when it was released: nobody waited */
  be_critical(fixture, 0, (uint64_t[]){40, 40, 50}, critical);
  be_critical(fixture, 1, (uint64_t[]){41, 61, 70}, critical); /* 2 is faster */
  be_critical(fixture, 2, (uint64_t[]){45, 51, 60}, critical);
  be_critical(fixture, 2, (uint64_t[]){80, 80, 90}, critical);
  be_critical(fixture, 2, (uint64_t[]){100, 100, 110}, critical); /* its own release: no edge */
  expect(fixture, "lock 0@50 > 2@51 in critical of 7\n"
                  "lock 2@60 > 1@61 in critical of 7\n");
}

/* Lock routines acquire when they return. Where nothing asked for a lock, the trace does not say that it was waited
 * for. */
static void routines_and_locks_without_a_request(void **state)
{
  struct fixture *fixture = fixture_create();
  uint32_t set = fixture_openmp(fixture, "omp_set_lock", OTF2_REGION_ROLE_WRAPPER), t[3];
  uint32_t user = fixture_region(fixture, "user", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 0);
  (void)state;
  add_threads(fixture, t, 3);
  fixture_lock(fixture, 0, 10, 3);
  fixture_unlock(fixture, 0, 30, 3);
  fixture_enter(fixture, 1, 20, set);
  fixture_leave(fixture, 1, 31, set);
  fixture_lock(fixture, 1, 31, 3);
  fixture_unlock(fixture, 1, 40, 3);
  fixture_lock(fixture, 1, 41, 3); /* the routine is long over */
  fixture_unlock(fixture, 1, 50, 3);
  fixture_enter(fixture, 2, 20, user);
  fixture_lock(fixture, 2, 51, 3);
  fixture_leave(fixture, 2, 52, user);
  expect(fixture, "lock 0@30 > 1@31 in omp_set_lock of 3\n");
}

static void do_task(struct fixture *fixture, uint32_t thread, uint64_t time, OTF2_CommRef team, uint32_t number)
{
  OTF2_EvtWriter_ThreadTaskSwitch(fixture_writer(fixture, thread), NULL, time, team, 0, number);
}

static void make_task(struct fixture *fixture, uint32_t thread, uint64_t time, OTF2_CommRef team, uint32_t number)
{
  OTF2_EvtWriter_ThreadTaskCreate(fixture_writer(fixture, thread), NULL, time, team, 0, number);
}

static void end_task(struct fixture *fixture, uint32_t thread, uint64_t time, OTF2_CommRef team, uint32_t number)
{
  OTF2_EvtWriter_ThreadTaskComplete(fixture_writer(fixture, thread), NULL, time, team, 0, number);
}

/* An untied task goes on elsewhere: it starts once. A name is used again when its task is complete. */
static void tasks_start_once(void **state)
{
  struct fixture *fixture = fixture_create();
  uint32_t t[3];
  (void)state;
  add_threads(fixture, t, 3);
  uint32_t team = fixture_team(fixture, t, 3);
  make_task(fixture, 0, 10, team, 1);
  make_task(fixture, 0, 11, team, 2);
  do_task(fixture, 0, 12, team, 2);
  do_task(fixture, 1, 20, team, 1);
  do_task(fixture, 1, 25, team, 9); /* never created */
  do_task(fixture, 2, 30, team, 1);
  end_task(fixture, 2, 40, team, 1);
  do_task(fixture, 1, 45, team, 1);
  make_task(fixture, 1, 50, team, 1);
  do_task(fixture, 2, 60, team, 1);
  expect(fixture, "task 0@11 > 0@12 of 2\n"
                  "task 0@10 > 1@20 of 1\n"
                  "task 1@50 > 2@60 of 1\n");
}

/* Two processes whose locks and tasks have the same names. */
static struct fixture *make_processes(void)
{
  struct fixture *fixture = fixture_create();
  uint32_t critical = fixture_openmp(fixture, "critical", OTF2_REGION_ROLE_CRITICAL), t[4];
  add_threads(fixture, t, 4);
  for (uint32_t i = 0; i < 4; i++)
    fixture_process(fixture, i, i / 2);
  be_critical(fixture, 0, (uint64_t[]){10, 10, 20}, critical);
  be_critical(fixture, 2, (uint64_t[]){11, 11, 21}, critical);
  be_critical(fixture, 1, (uint64_t[]){12, 22, 30}, critical);
  be_critical(fixture, 3, (uint64_t[]){22, 23, 31}, critical);
  make_task(fixture, 0, 40, OTF2_UNDEFINED_COMM, 5);
  make_task(fixture, 2, 41, OTF2_UNDEFINED_COMM, 5);
  do_task(fixture, 1, 42, OTF2_UNDEFINED_COMM, 5);
  do_task(fixture, 3, 43, OTF2_UNDEFINED_COMM, 5);
  return fixture;
}

static void processes_share_nothing(void **state)
{
  (void)state;
  expect(make_processes(), "lock 0@20 > 1@22 in critical of 7\n"
                           "task 0@40 > 1@42 of 5\n"
                           "task 2@41 > 3@43 of 5\n");
}

static void edges_of_processes_are_those_of_the_trace(void **state)
{
  struct fixture *fixture = make_processes();
  struct trace *trace = open_trace(fixture);
  char *first = edges_of(trace, ALL, 0), *second = edges_of(trace, ALL, 1);
  (void)state;
  assert_string_equal(first, "lock 0@20 > 1@22 in critical of 7\n"
                             "task 0@40 > 1@42 of 5\n");
  assert_string_equal(second, "task 2@41 > 3@43 of 5\n");
  free(first);
  free(second);
  trace_close(trace);
  fixture_destroy(fixture);
}

/* Only edges whose both ends are looked at; but what is not looked at is known. */
static void edges_of_a_part_of_a_run(void **state)
{
  struct fixture *fixture = fixture_create();
  uint32_t critical = fixture_openmp(fixture, "critical", OTF2_REGION_ROLE_CRITICAL), t[3];
  (void)state;
  add_threads(fixture, t, 3);
  be_critical(fixture, 0, (uint64_t[]){10, 10, 20}, critical);
  be_critical(fixture, 1, (uint64_t[]){11, 21, 30}, critical);
  be_critical(fixture, 2, (uint64_t[]){12, 31, 40}, critical);
  be_critical(fixture, 0, (uint64_t[]){25, 41, 50}, critical);
  be_critical(fixture, 1, (uint64_t[]){35, 51, 60}, critical);
  struct trace *trace = open_trace(fixture);
  trace_restrict_time(trace, 30, 51);
  expect_of(trace, ALL,
            "lock 1@30 > 2@31 in critical of 7\n"
            "lock 2@40 > 0@41 in critical of 7\n");
  trace_exclude(trace, 2);
  expect_of(trace, ALL, "");
  trace_close(trace);
  fixture_destroy(fixture);
}

static void only_kinds_that_were_asked_for(void **state)
{
  struct fixture *fixture = make_processes();
  struct trace *trace = open_trace(fixture);
  (void)state;
  expect_of(trace, EDGE_BIT(EDGE_LOCK), "lock 0@20 > 1@22 in critical of 7\n");
  expect_of(trace, EDGE_BIT(EDGE_TASK), "task 0@40 > 1@42 of 5\ntask 2@41 > 3@43 of 5\n");
  expect_of(trace, EDGE_BIT(EDGE_FORK) | EDGE_BIT(EDGE_JOIN), "");
  trace_close(trace);
  fixture_destroy(fixture);
}

UNIT_TEST(edges)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(teams_are_forked_and_joined),
      cmocka_unit_test(nested_teams_have_their_own_edges),
      cmocka_unit_test(forks_of_the_same_time_and_deep_ones),
      cmocka_unit_test(who_waited_for_a_lock_got_it_from_the_last_one),
      cmocka_unit_test(routines_and_locks_without_a_request),
      cmocka_unit_test(tasks_start_once),
      cmocka_unit_test(processes_share_nothing),
      cmocka_unit_test(edges_of_processes_are_those_of_the_trace),
      cmocka_unit_test(edges_of_a_part_of_a_run),
      cmocka_unit_test(only_kinds_that_were_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
