/* Tasks of small archives, whose lengths, work and span were worked out by hand. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/tasks/graph.h"
#include "analyzer/analyses/tasks/tasks.h"

#include <stdlib.h>
#include <string.h>

static struct trace *open_trace(struct fixture *fixture)
{
  struct error error = {""};
  struct trace *trace = trace_open(fixture_finish(fixture), &error);
  if (!trace)
    fail_msg("%s", error.message);
  return trace;
}

static struct tasks find(const struct trace *trace)
{
  struct error error = {""};
  struct tasks tasks;
  struct pool *pool = pool_create(2);
  if (!analysis_find(&tasks_analysis, trace, pool, NULL, &tasks, &error))
    fail_msg("%s", error.message);
  pool_destroy(pool);
  return tasks;
}

static void switch_to(struct fixture *fixture, uint32_t thread, uint64_t time, uint32_t task)
{
  OTF2_EvtWriter_ThreadTaskSwitch(fixture_writer(fixture, thread), NULL, time, 0, 0, task);
}

static void complete(struct fixture *fixture, uint32_t thread, uint64_t time, uint32_t task)
{
  OTF2_EvtWriter_ThreadTaskComplete(fixture_writer(fixture, thread), NULL, time, 0, 0, task);
}

static void execute(struct fixture *fixture, uint32_t thread, uint64_t from, uint64_t to, uint32_t task,
                    uint32_t region)
{
  switch_to(fixture, thread, from, task);
  fixture_enter(fixture, thread, from, region);
  fixture_leave(fixture, thread, to, region);
  complete(fixture, thread, to, task);
  switch_to(fixture, thread, to, 0);
}

struct regions {
  uint32_t parallel, task, wait, barrier;
};

static struct regions add_regions(struct fixture *fixture)
{
  return (struct regions){fixture_openmp(fixture, "!$omp parallel", OTF2_REGION_ROLE_PARALLEL),
                          fixture_openmp(fixture, "!$omp task @a.c:7", OTF2_REGION_ROLE_TASK),
                          fixture_openmp(fixture, "!$omp taskwait", OTF2_REGION_ROLE_TASK_WAIT),
                          fixture_openmp(fixture, "!$omp barrier", OTF2_REGION_ROLE_BARRIER)};
}

static void begin_team(struct fixture *fixture, const struct regions *regions)
{
  uint32_t threads[2] = {fixture_location(fixture, "first"), fixture_location(fixture, "second")};
  fixture_team(fixture, threads, 2);
  fixture_fork(fixture, 0, 0);
  for (uint32_t i = 0; i < 2; i++) {
    fixture_enter(fixture, i, 0, regions->parallel);
    fixture_team_begin(fixture, i, 0, 0);
  }
}

static void end_team(struct fixture *fixture, const struct regions *regions, uint64_t time)
{
  for (uint32_t i = 0; i < 2; i++) {
    fixture_leave(fixture, i, time, regions->barrier);
    fixture_team_end(fixture, i, time, 0);
  }
  fixture_join(fixture, 0, time);
  for (uint32_t i = 0; i < 2; i++)
    fixture_leave(fixture, i, time, regions->parallel);
}

/*
 * The first thread makes two tasks at 10 and 12, and works until 80. It executes the first one from 22 to 42 in a
 * taskwait (20 to 72). The second thread works up to 2, and executes the second task from 32 to 72 in the barrier.
 */
static void work_and_span_follow_the_tree(void **state)
{
  struct fixture *fixture = fixture_create();
  struct regions regions = add_regions(fixture);
  (void)state;
  begin_team(fixture, &regions);
  fixture_create_task(fixture, 0, 10, (struct fixture_task){.number = 1});
  fixture_create_task(fixture, 0, 12, (struct fixture_task){.number = 2});
  fixture_enter(fixture, 0, 20, regions.wait);
  execute(fixture, 0, 22, 42, 1, regions.task);
  fixture_leave(fixture, 0, 72, regions.wait);
  fixture_enter(fixture, 0, 80, regions.barrier);
  fixture_enter(fixture, 1, 2, regions.barrier);
  execute(fixture, 1, 32, 72, 2, regions.task);
  end_team(fixture, &regions, 80);
  struct trace *trace = open_trace(fixture);
  struct tasks tasks = find(trace);
  assert_int_equal(tasks.made, 2);
  assert_int_equal(tasks.ended, 2);
  assert_int_equal(tasks.most_waiting, 2);
  assert_int_equal(tasks.threads_used, 2);
  assert_int_equal((uint64_t)tasks.work, 20 + 20 + 8 + 2 + 40);
  assert_int_equal(tasks.span, 12 + 40 + 8); /* up to where it made the second task, that one, what came after */
  assert_int_equal(tasks.site_count, 1);
  const struct task_site *site = &tasks.sites[0];
  assert_string_equal(trace->regions[site->region].name, "!$omp task @a.c:7");
  assert_int_equal(site->made, 2);
  assert_int_equal(site->stolen, 1);
  assert_int_equal(site->at_once, 0);
  assert_int_equal((uint64_t)site->run.total, 60);
  assert_int_equal(site->run.max, 40);
  assert_int_equal((uint64_t)site->queue.total, (22 - 10) + (32 - 12));
  assert_int_equal(site->held.count, 0);
  assert_int_equal(site->apart.count, 1);
  assert_int_equal(site->apart.max, 2);
  assert_int_equal((uint64_t)site->blocked, 0);
  assert_int_equal(task_site_grain(&tasks, site), GRAIN_FINE); /* 30 on average, made in at most 2 */
  assert_int_equal(tasks.thread_count, 2);
  assert_int_equal(tasks.threads[0].location, 1); /* it ran longer in them */
  assert_int_equal(tasks.threads[0].stolen, 1);
  assert_int_equal((uint64_t)tasks.threads[0].run, 40);
  assert_int_equal(tasks.threads[1].made, 2);
  assert_int_equal(tasks.threads[1].ran, 1);
  analysis_free(&tasks_analysis, &tasks);
  trace_close(trace);
  fixture_destroy(fixture);
}

/* A task from 10 to 30 is executed at once, and makes one that waits for 5 of its 10 ticks; that one begins never. */
static void what_runs_at_once_is_a_part_of_its_maker(void **state)
{
  struct fixture *fixture = fixture_create();
  struct regions regions = add_regions(fixture);
  (void)state;
  begin_team(fixture, &regions);
  fixture_create_task(fixture, 0, 10, (struct fixture_task){.number = 1});
  switch_to(fixture, 0, 10, 1);
  fixture_enter(fixture, 0, 10, regions.task);
  fixture_create_task(fixture, 0, 20, (struct fixture_task){.number = 2});
  fixture_enter(fixture, 0, 22, regions.wait);
  fixture_leave(fixture, 0, 27, regions.wait);
  fixture_leave(fixture, 0, 30, regions.task);
  complete(fixture, 0, 30, 1);
  switch_to(fixture, 0, 30, 0);
  fixture_enter(fixture, 0, 50, regions.barrier);
  fixture_enter(fixture, 1, 4, regions.barrier);
  end_team(fixture, &regions, 60);
  struct trace *trace = open_trace(fixture);
  struct tasks tasks = find(trace);
  assert_int_equal(tasks.made, 2);
  assert_int_equal(tasks.ended, 1);
  assert_int_equal(tasks.never_ran, 1);
  assert_int_equal((uint64_t)tasks.work, 45 + 4);
  assert_int_equal(tasks.span, 45);
  assert_int_equal(tasks.site_count, 1);
  assert_int_equal(tasks.sites[0].at_once, 1);
  assert_int_equal(tasks.sites[0].stolen, 0);
  assert_int_equal((uint64_t)tasks.sites[0].run.total, 20);
  assert_int_equal((uint64_t)tasks.sites[0].blocked, 5);
  assert_int_equal(task_site_grain(&tasks, &tasks.sites[0]), GRAIN_UNKNOWN);
  analysis_free(&tasks_analysis, &tasks);
  trace_close(trace);
  fixture_destroy(fixture);
}

/* In the second half of that archive nothing is known of the task's creation. */
static void a_part_of_a_run_has_its_tasks(void **state)
{
  struct fixture *fixture = fixture_create();
  struct regions regions = add_regions(fixture);
  (void)state;
  begin_team(fixture, &regions);
  fixture_create_task(fixture, 0, 10, (struct fixture_task){.number = 1});
  fixture_enter(fixture, 0, 20, regions.barrier);
  fixture_enter(fixture, 1, 2, regions.barrier);
  execute(fixture, 1, 32, 72, 1, regions.task);
  end_team(fixture, &regions, 80);
  struct trace *trace = open_trace(fixture);
  trace_restrict_time(trace, trace->first_tick + 25, UINT64_MAX);
  struct tasks tasks = find(trace);
  assert_int_equal(tasks.made, 0);
  assert_int_equal(tasks.ended, 1);
  assert_int_equal(tasks.sites[0].queue.count, 0);
  assert_int_equal((uint64_t)tasks.sites[0].run.total, 40);
  analysis_free(&tasks_analysis, &tasks);
  trace_close(trace);
  fixture_destroy(fixture);
}

static void expect_after(const struct depends *depends, uint32_t group, uint64_t path, uint64_t ended)
{
  uint64_t path_found = 0, ended_found = 0;
  depends_after(depends, group, &path_found, &ended_found);
  assert_int_equal(path_found, path);
  assert_int_equal(ended_found, ended);
}

/* A writer, two readers, a writer: the readers come after the first, the last one after both readers. */
static void readers_and_writers_come_one_after_the_other(void **state)
{
  struct depends depends = {0};
  uint32_t first = 0;
  (void)state;
  uint32_t out = depends_join(&depends, 1, &first, 0x10, DEPEND_OUT);
  uint32_t in = depends_join(&depends, 1, &first, 0x10, DEPEND_IN);
  uint32_t also_in = depends_join(&depends, 1, &first, 0x10, DEPEND_IN);
  uint32_t last = depends_join(&depends, 1, &first, 0x10, DEPEND_INOUT);
  uint32_t other_data = depends_join(&depends, 1, &first, 0x20, DEPEND_IN);
  uint32_t other_parent = depends_join(&depends, 2, &first, 0x10, DEPEND_IN);
  assert_int_equal(in, also_in);
  assert_int_not_equal(in, last);
  expect_after(&depends, out, 0, 0);
  expect_after(&depends, other_data, 0, 0);
  expect_after(&depends, other_parent, 0, 0);
  depends_leave(&depends, out, 30, 100);
  expect_after(&depends, in, 30, 100);
  depends_leave(&depends, in, 50, 140);
  expect_after(&depends, also_in, 30, 100); /* also when another reader has ended */
  depends_leave(&depends, also_in, 45, 150);
  expect_after(&depends, last, 50, 150);
  depends_leave(&depends, last, 70, 160);
  depends_leave(&depends, other_data, 0, 0);
  depends_leave(&depends, other_parent, 0, 0);
  depends_forget(&depends, &first);
  assert_int_equal(depends.by_key.count, 0);
  depends_free(&depends);
}

/* What is remembered of a chain does not grow with it. */
static void a_long_chain_needs_no_memory(void **state)
{
  struct depends depends = {0};
  uint32_t first = 0, before = depends_join(&depends, 1, &first, 0x10, DEPEND_OUT);
  (void)state;
  for (uint64_t i = 1; i <= 1000; i++) {
    uint32_t next = depends_join(&depends, 1, &first, 0x10, DEPEND_OUT);
    depends_leave(&depends, before, i, i);
    expect_after(&depends, next, i, i);
    before = next;
  }
  assert_in_range(depends.groups.count, 2, 4);
  depends_leave(&depends, before, 0, 0);
  depends_forget(&depends, &first);
  depends_free(&depends);
}

static void wait_for(struct fixture *fixture, uint64_t from, uint64_t to, uint32_t region, const char *class_name)
{
  struct fixture_object object = {.class_name = fixture_class(fixture, class_name), .identity = 7};
  fixture_enter_object(fixture, 0, from, region, object);
  fixture_leave(fixture, 0, to, region);
}

/* Thread 0 waits 30 ticks for a pool that got its task, 200 for a fork-join pool, and 1000 for a latch. */
static void waits_stand_with_the_pool_that_has_the_task(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  const char *const names[] = {"main", "pool-1-thread-1", "ForkJoinPool-1-worker-1"};
  for (uint32_t i = 0; i < 3; i++) {
    fixture_location(f, names[i]);
    fixture_thread_type(f, i, "java");
    fixture_thread_begin(f, i, 0);
  }
  uint32_t task = fixture_region(f, "pool task @A.java:20", OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_OPENMP, 0);
  uint32_t join = fixture_region(f, "pool join @A.java:30", OTF2_REGION_ROLE_TASK_WAIT, OTF2_PARADIGM_OPENMP, 0);
  uint32_t park = fixture_region(f, "park @A.java:30", OTF2_REGION_ROLE_THREAD_WAIT, OTF2_PARADIGM_PTHREAD, 0);
  fixture_describe(f, park, "state: blocked in condvar");
  OTF2_EvtWriter_ThreadTaskCreate(fixture_writer(f, 0), NULL, 10, 0, 0, 1);
  execute(f, 1, 20, 60, 1, task);
  OTF2_EvtWriter_ThreadTaskCreate(fixture_writer(f, 2), NULL, 70, 0, 2, 1);
  OTF2_EvtWriter_ThreadTaskSwitch(fixture_writer(f, 2), NULL, 70, 0, 2, 1);
  fixture_enter(f, 2, 70, task);
  wait_for(f, 80, 110, park, "java.util.concurrent.FutureTask");
  fixture_enter(f, 0, 120, join);
  wait_for(f, 130, 330, park, "A$Sum");
  fixture_leave(f, 0, 340, join);
  fixture_leave(f, 2, 340, task);
  OTF2_EvtWriter_ThreadTaskComplete(fixture_writer(f, 2), NULL, 340, 0, 2, 1);
  OTF2_EvtWriter_ThreadTaskSwitch(fixture_writer(f, 2), NULL, 340, 0, 2, 0);
  wait_for(f, 400, 1400, park, "java.util.concurrent.CountDownLatch$Sync");
  struct trace *trace = open_trace(f);
  struct tasks tasks = find(trace);
  assert_int_equal(tasks.pool_count, 2);
  assert_string_equal(tasks.pools[0].name, "ForkJoinPool-1-worker-1");
  assert_int_equal(tasks.pools[0].awaited, 1);
  assert_int_equal(tasks.pools[0].await, 200);
  assert_string_equal(tasks.pools[1].name, "pool-1-thread-1");
  assert_int_equal(tasks.pools[1].awaited, 1);
  assert_int_equal(tasks.pools[1].await, 30);
  analysis_free(&tasks_analysis, &tasks);
  trace_close(trace);
  fixture_destroy(f);
}

/*
 * One line starts two. The first one waits 10 ticks for a carrier, runs for 20, is away for 40, and runs for 5 on
 * another carrier. The second one waits 100 ticks, and runs when the trace ends. The start of a third one was not seen.
 */
static void virtual_threads_are_told_by_their_start(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  const char *const names[] = {"main", "ForkJoinPool-1-worker-1", "ForkJoinPool-1-worker-2"};
  for (uint32_t i = 0; i < 3; i++) {
    fixture_location(f, names[i]);
    fixture_thread_type(f, i, "java");
    fixture_thread_begin(f, i, 0);
  }
  uint32_t start = fixture_region(f, "Thread.start @A.java:7", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD, 0);
  uint32_t run = fixture_region(f, "virtual thread", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD, 0);
  for (uint64_t id = 50; id <= 51; id++) {
    fixture_mount(f, 0, 10, start, id);
    fixture_leave(f, 0, 10, start);
  }
  fixture_unpark(f, 0, 12, start, 60); /* it names a platform thread */
  fixture_mount(f, 1, 20, run, 50);
  fixture_leave(f, 1, 40, run);
  fixture_mount(f, 2, 80, run, 50);
  fixture_virtual_end(f, 2, 85, run);
  fixture_mount(f, 1, 90, run, 70);
  fixture_virtual_end(f, 1, 100, run);
  fixture_mount(f, 1, 110, run, 51);
  fixture_leave(f, 1, 200, run);
  struct trace *trace = open_trace(f);
  struct tasks tasks = find(trace);
  assert_int_equal(tasks.virtual_count, 2);
  const struct virtual_site *known = &tasks.virtual_sites[0], *unknown = &tasks.virtual_sites[1];
  assert_int_equal(known->region, start);
  assert_int_equal(known->threads, 2);
  assert_int_equal(known->ended, 1);
  assert_int_equal(known->most_alive, 2);
  assert_int_equal(known->mounts, 3);
  assert_int_equal(known->queue.count, 2);
  assert_int_equal(known->queue.total, 110);
  assert_int_equal(known->queue.max, 100);
  assert_int_equal(known->run.total, 25 + 90);
  assert_int_equal(known->unmounted, 40);
  assert_int_equal(unknown->region, TRACE_NONE);
  assert_int_equal(unknown->threads, 1);
  assert_int_equal(unknown->ended, 1);
  assert_int_equal(unknown->queue.count, 0);
  assert_int_equal(unknown->run.total, 10);
  analysis_free(&tasks_analysis, &tasks);
  trace_close(trace);
  fixture_destroy(f);
}

UNIT_TEST(tasks)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_and_span_follow_the_tree),
      cmocka_unit_test(what_runs_at_once_is_a_part_of_its_maker),
      cmocka_unit_test(a_part_of_a_run_has_its_tasks),
      cmocka_unit_test(readers_and_writers_come_one_after_the_other),
      cmocka_unit_test(a_long_chain_needs_no_memory),
      cmocka_unit_test(waits_stand_with_the_pool_that_has_the_task),
      cmocka_unit_test(virtual_threads_are_told_by_their_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
