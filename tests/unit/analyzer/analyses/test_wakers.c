/* What ended each wait, and the critical path, of small archives with exact answers. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/waits/paths.h"
#include "analyzer/analyses/waits/waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ROOM = 8192 };

static const char *const hows[WAKE_HOWS] = {"by", "or", "interrupted", "time", "itself", "io", "unknown", "cut"};

struct found {
  struct trace *trace;
  struct waits_found of;
};

static struct found find(struct fixture *fixture)
{
  struct error error = {""};
  struct found found = {.trace = trace_open(fixture_finish(fixture), &error)};
  if (!found.trace)
    fail_msg("%s", error.message);
  struct pool *pool = pool_create(2);
  assert_non_null(pool);
  if (!analysis_find(&waits_analysis, found.trace, pool, NULL, &found.of, &error))
    fail_msg("%s", error.message);
  pool_destroy(pool);
  return found;
}

static void forget(struct found *found, struct fixture *fixture)
{
  analysis_free(&waits_analysis, &found->of);
  trace_close(found->trace);
  fixture_destroy(fixture);
}

static const char *name_of(const struct trace *trace, uint32_t region)
{
  return region == TRACE_NONE ? "-" : trace->regions[region].name;
}

__attribute__((format(printf, 2, 3))) static void append(char *text, const char *format, ...)
{
  va_list arguments;
  size_t used = strlen(text);
  va_start(arguments, format);
  vsnprintf(text + used, TEXT_ROOM - used, format, arguments);
  va_end(arguments);
}

static void write_cause(char *text, const struct trace *trace, const struct waits_cause *cause)
{
  append(text, "  %s", hows[cause->how]);
  if (cause->from != TRACE_NONE)
    append(text, " %u at %s", cause->from, name_of(trace, cause->from_region));
  if (cause->also != TRACE_NONE)
    append(text, " or %u at %s", cause->also, name_of(trace, cause->also_region));
  append(text, ": %" PRIu64 " times, %" PRIu64, cause->times, (uint64_t)cause->ticks);
  if (cause->woken_times)
    append(text, ", went on after %" PRIu64, (uint64_t)cause->woken);
  if (cause->meanwhile)
    append(text, ", with a wait of %" PRIu64 " at %s", (uint64_t)cause->meanwhile,
           name_of(trace, cause->meanwhile_region));
  append(text, "\n");
}

/* A line a place, a line a cause. */
static void expect_waits(const struct found *found, const char *expected)
{
  char text[TEXT_ROOM] = "";
  for (size_t i = 0; i < found->of.waits.place_count; i++) {
    const struct waits_place *place = &found->of.waits.places[i];
    append(text, "%s: %" PRIu64 " times, %" PRIu64 ", longest %" PRIu64 "\n", name_of(found->trace, place->region),
           place->times, (uint64_t)place->ticks, place->longest);
    for (size_t k = 0; k < found->of.waits.cause_count; k++)
      if (found->of.waits.causes[k].place == i)
        write_cause(text, found->trace, &found->of.waits.causes[k]);
  }
  assert_string_equal(text, expected);
}

/* The line has, in order, all of the path that is on a thread. */
static void expect_line(const struct critical_path *path, uint64_t on_threads)
{
  uint64_t sum = 0, reached = 0;
  for (size_t i = 0; i < path->line.stretches.count; i++) {
    const struct path_stretch *stretch = &path->line.stretches.items[i];
    assert_true(stretch->begin >= reached && stretch->end > stretch->begin);
    reached = stretch->end;
    sum += stretch->end - stretch->begin;
  }
  assert_int_equal(sum, on_threads);
}

/* A line a path, a line a part; the parts add up. */
static void expect_paths(const struct found *found, const char *expected)
{
  char text[TEXT_ROOM] = "";
  for (size_t i = 0; i < found->of.paths.count; i++) {
    const struct critical_path *path = &found->of.paths.list[i];
    uint64_t sum = 0, on_threads = 0;
    append(text, "%" PRIu64 " to %u\n", path->ticks, path->last);
    for (size_t k = 0; k < found->of.paths.part_count; k++) {
      const struct critical_part *part = &found->of.paths.parts[k];
      if (part->path != i)
        continue;
      sum += part->ticks;
      on_threads += part->state < STATES ? part->ticks : 0;
      append(text, "  %u %s %s %" PRIu64 "\n", part->location, name_of(found->trace, part->construct),
             part->state < STATES    ? state_key((enum state)part->state)
             : part->state == STATES ? "before"
                                     : "after",
             part->ticks);
    }
    assert_int_equal(sum, path->ticks);
    expect_line(path, on_threads);
  }
  assert_string_equal(text, expected);
}

static uint32_t java(struct fixture *fixture, const char *name, OTF2_RegionRole role, const char *description)
{
  uint32_t region = fixture_region(fixture, name, role, OTF2_PARADIGM_PTHREAD, 0);
  if (description)
    fixture_describe(fixture, region, description);
  return region;
}

/* Threads 0, 1, ..., with Java's ids 100, 101, ... */
static void add_threads(struct fixture *fixture, uint32_t count, const char *type)
{
  for (uint32_t i = 0; i < count; i++) {
    fixture_location(fixture, "thread");
    fixture_thread_type(fixture, i, i == 0 ? "initial" : type);
    fixture_java_id(fixture, i, 100 + i);
  }
}

static void begin_all(struct fixture *fixture, uint32_t count, uint32_t work)
{
  for (uint32_t i = 0; i < count; i++)
    fixture_enter(fixture, i, 0, work);
}

static void end_all(struct fixture *fixture, uint32_t count, uint64_t time, uint32_t work)
{
  for (uint32_t i = 0; i < count; i++)
    fixture_leave(fixture, i, time, work);
}

static uint32_t add_work(struct fixture *fixture)
{
  return fixture_region(fixture, "work", OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER, 0);
}

static void signal_object(struct fixture *fixture, uint32_t thread, uint64_t time, uint32_t region, uint64_t identity)
{
  fixture_enter_object(fixture, thread, time, region,
                       (struct fixture_object){fixture_class(fixture, "Queue"), identity, 0, UINT32_MAX});
  fixture_leave(fixture, thread, time, region);
}

static void enter_wait(struct fixture *fixture, uint32_t thread, uint64_t time, uint32_t region, uint64_t identity)
{
  fixture_enter_object(fixture, thread, time, region,
                       (struct fixture_object){fixture_class(fixture, "Queue"), identity, 0, UINT32_MAX});
}

/* Thread 1 arrives last at the first barrier, thread 0 at the second one, before thread 1 has left the first one. */
static void the_last_arrival_ends_a_barrier(void **state)
{
  struct fixture *fixture = fixture_create();
  uint32_t parallel = fixture_openmp(fixture, "!$omp parallel", OTF2_REGION_ROLE_PARALLEL);
  uint32_t barrier = fixture_openmp(fixture, "!$omp barrier", OTF2_REGION_ROLE_BARRIER), t[2];
  (void)state;
  for (uint32_t i = 0; i < 2; i++)
    t[i] = fixture_location(fixture, "thread");
  fixture_thread_type(fixture, 0, "initial");
  fixture_thread_type(fixture, 1, "worker");
  uint32_t team = fixture_team(fixture, t, 2);
  fixture_enter(fixture, 0, 0, parallel);
  fixture_fork(fixture, 0, 10);
  fixture_team_begin(fixture, 0, 20, team);
  fixture_enter(fixture, 0, 100, barrier);
  fixture_leave(fixture, 0, 210, barrier);
  fixture_enter(fixture, 0, 215, barrier);
  fixture_leave(fixture, 0, 300, barrier);
  fixture_team_end(fixture, 0, 310, team);
  fixture_join(fixture, 0, 320);
  fixture_leave(fixture, 0, 330, parallel);
  fixture_team_begin(fixture, 1, 30, team);
  fixture_enter(fixture, 1, 200, barrier);
  fixture_leave(fixture, 1, 220, barrier);
  fixture_enter(fixture, 1, 290, barrier);
  fixture_leave(fixture, 1, 295, barrier);
  fixture_team_end(fixture, 1, 305, team);
  struct found found = find(fixture);
  expect_waits(&found, "!$omp barrier: 4 times, 220, longest 110\n"
                       "  by 1 at !$omp barrier: 2 times, 195, went on after 20, with a wait of 5 at !$omp barrier\n"
                       "  itself: 2 times, 25\n");
  /* The path is on thread 0 up to the fork at 10, and on thread 1 up to 290, its last arrival. Then it is on thread
   * 0. */
  expect_paths(&found, "330 to 0\n"
                       "  1 - run 240\n"
                       "  0 !$omp parallel run 30\n"
                       "  1 !$omp barrier synch_barrier 20\n"
                       "  1 - before 20\n"
                       "  0 !$omp parallel overhead 10\n"
                       "  0 !$omp barrier synch_barrier 10\n");
  forget(&found, fixture);
}

/* A thread waits a thousand times; two others notify it in turn. */
static void a_thousand_waits_have_their_wakers(void **state)
{
  struct fixture *fixture = fixture_create();
  (void)state;
  add_threads(fixture, 3, "java");
  uint32_t work = add_work(fixture);
  uint32_t wait = java(fixture, "Object.wait @Q.java:7", OTF2_REGION_ROLE_THREAD_WAIT, "state: blocked in condvar");
  uint32_t one = java(fixture, "notify @Q.java:8", OTF2_REGION_ROLE_FUNCTION, NULL);
  uint32_t all = java(fixture, "notifyAll @Q.java:9", OTF2_REGION_ROLE_FUNCTION, NULL);
  begin_all(fixture, 3, work);
  for (uint64_t i = 1; i <= 1000; i++) {
    enter_wait(fixture, 0, 100 * i, wait, 5);
    signal_object(fixture, 1 + (uint32_t)(i % 2), 100 * i + 50, i % 2 ? one : all, 5);
    signal_object(fixture, 1, 100 * i + 51, one, 6); /* nobody waits for this object */
    fixture_leave(fixture, 0, 100 * i + 60, wait);
    signal_object(fixture, 1, 100 * i + 70, one, 5); /* nobody waits */
  }
  end_all(fixture, 3, 100100, work);
  struct found found = find(fixture);
  expect_waits(&found, "Object.wait @Q.java:7: 1000 times, 60000, longest 60\n"
                       "  by 1 at notifyAll @Q.java:9: 500 times, 30000, went on after 5000\n"
                       "  by 2 at notify @Q.java:8: 500 times, 30000, went on after 5000\n");
  forget(&found, fixture);
}

/* Two wait and two notify before the first one goes on: it could be either. */
static void two_signals_in_flight_are_ambiguous(void **state)
{
  struct fixture *fixture = fixture_create();
  (void)state;
  add_threads(fixture, 4, "java");
  uint32_t work = add_work(fixture);
  uint32_t wait = java(fixture, "Object.wait", OTF2_REGION_ROLE_THREAD_WAIT, "state: blocked in condvar");
  uint32_t one = java(fixture, "notify", OTF2_REGION_ROLE_FUNCTION, NULL);
  begin_all(fixture, 4, work);
  enter_wait(fixture, 0, 10, wait, 5);
  enter_wait(fixture, 1, 20, wait, 5);
  signal_object(fixture, 2, 30, one, 5);
  signal_object(fixture, 3, 40, one, 5);
  fixture_leave(fixture, 0, 50, wait);
  fixture_leave(fixture, 1, 60, wait);
  end_all(fixture, 4, 100, work);
  struct found found = find(fixture);
  expect_waits(&found, "Object.wait: 2 times, 80, longest 40\n"
                       "  or 2 at notify or 3 at notify: 1 times, 40\n"
                       "  or 3 at notify or 2 at notify: 1 times, 40\n");
  forget(&found, fixture);
}

/* Regions of pthreads: the same matches. */
static void pthread_waits_have_their_wakers(void **state)
{
  static const struct {
    const char *wait, *signal, *expected;
  } rows[] = {
      {"pthread mutex", "pthread unlock",
       "pthread mutex: 1 times, 40, longest 40\n  by 1 at pthread unlock: 1 times, 40, went on after 10\n"},
      {"pthread rwlock read", "pthread unlock",
       "pthread rwlock read: 1 times, 40, longest 40\n  by 1 at pthread unlock: 1 times, 40, went on after 10\n"},
      {"pthread spin lock", "pthread unlock",
       "pthread spin lock: 1 times, 40, longest 40\n  by 1 at pthread unlock: 1 times, 40, went on after 10\n"},
      {"pthread condition", "pthread signal",
       "pthread condition: 1 times, 40, longest 40\n  by 1 at pthread signal: 1 times, 40, went on after 10\n"},
      {"pthread condition", "pthread broadcast",
       "pthread condition: 1 times, 40, longest 40\n  by 1 at pthread broadcast: 1 times, 40, went on after 10\n"},
      {"semaphore", "sem_post",
       "semaphore: 1 times, 40, longest 40\n  by 1 at sem_post: 1 times, 40, went on after 10\n"},
      {"pthread condition", "pthread unlock", "pthread condition: 1 times, 40, longest 40\n  unknown: 1 times, 40\n"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct fixture *fixture = fixture_create();
    add_threads(fixture, 2, "other");
    uint32_t work = add_work(fixture);
    uint32_t wait = java(fixture, rows[i].wait, OTF2_REGION_ROLE_THREAD_WAIT, "state: blocked in mutex");
    uint32_t wake = java(fixture, rows[i].signal, OTF2_REGION_ROLE_FUNCTION, NULL);
    begin_all(fixture, 2, work);
    signal_object(fixture, 1, 5, wake, 9);
    enter_wait(fixture, 0, 10, wait, 9);
    signal_object(fixture, 1, 40, wake, 9);
    fixture_leave(fixture, 0, 50, wait);
    end_all(fixture, 2, 100, work);
    struct found found = find(fixture);
    expect_waits(&found, rows[i].expected);
    forget(&found, fixture);
  }
}

/* A virtual thread looks whether it was unparked, and is unmounted afterwards: an unpark in between ends its wait. One
 * that came while it waited does so in any case; one of a mount before, or of long before, never. */
static void an_unpark_may_come_before_the_unmount(void **state)
{
  (void)state;
  static const struct {
    uint64_t mounted, before, park, meanwhile; /* 0: no unpark */
  } rows[] = {{10, 20, 30, 0}, {50, 0, 60, 0}, {80, 85, 90, 93}, {100, 110, 20120, 0}};
  struct fixture *fixture = fixture_create();
  add_threads(fixture, 3, "java");
  uint32_t park = java(fixture, "park", OTF2_REGION_ROLE_THREAD_WAIT, "state: blocked in condvar");
  uint32_t unpark = java(fixture, "unpark", OTF2_REGION_ROLE_FUNCTION, NULL);
  uint32_t again = java(fixture, "unpark", OTF2_REGION_ROLE_FUNCTION, NULL);
  uint32_t running = fixture_region(fixture, "virtual thread", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD, 0);
  uint32_t unmounted = fixture_class(fixture, "unmounted");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture_mount(fixture, 1, rows[i].mounted, running, 5000);
    if (rows[i].before)
      fixture_unpark(fixture, 0, rows[i].before, unpark, 5000);
    fixture_enter(fixture, 1, rows[i].park, park);
    fixture_leave_closed(fixture, 1, rows[i].park + 1, park, unmounted);
    fixture_leave(fixture, 1, rows[i].park + 1, running);
    if (rows[i].meanwhile)
      fixture_unpark(fixture, 2, rows[i].meanwhile, again, 5000);
  }
  fixture_mount(fixture, 1, 20200, running, 5000);
  fixture_leave(fixture, 1, 20300, running);
  struct found found = find(fixture);
  expect_waits(&found, "park: 4 times, 130, longest 80\n"
                       "  unknown: 2 times, 100\n"
                       "  by 0 at unpark: 1 times, 20, went on after 20\n"
                       "  by 2 at unpark: 1 times, 10, went on after 7\n");
  forget(&found, fixture);
}

/* Three stages hand on by unpark: the path is each stage's work, one after the other, and the ways between. */
static void the_path_of_a_pipeline(void **state)
{
  struct fixture *fixture = fixture_create();
  (void)state;
  add_threads(fixture, 3, "java");
  uint32_t work = add_work(fixture);
  uint32_t park = java(fixture, "park", OTF2_REGION_ROLE_THREAD_WAIT, "state: blocked in condvar");
  uint32_t unpark = java(fixture, "unpark", OTF2_REGION_ROLE_FUNCTION, NULL);
  begin_all(fixture, 3, work);
  fixture_enter(fixture, 1, 10, park);
  fixture_enter(fixture, 2, 20, park);
  fixture_unpark(fixture, 0, 100, unpark, 101);
  fixture_leave(fixture, 0, 150, work);
  fixture_leave(fixture, 1, 105, park);
  fixture_unpark(fixture, 1, 300, unpark, 102);
  fixture_leave(fixture, 1, 310, work);
  fixture_leave(fixture, 2, 302, park);
  fixture_leave(fixture, 2, 702, work);
  struct found found = find(fixture);
  expect_waits(&found, "park: 2 times, 377, longest 282\n"
                       "  by 1 at unpark: 1 times, 282, went on after 2, with a wait of 85 at park\n"
                       "  by 0 at unpark: 1 times, 95, went on after 5\n");
  expect_paths(&found, "702 to 2\n"
                       "  2 work run 400\n"
                       "  1 work run 195\n"
                       "  0 work run 100\n"
                       "  1 park blocked_condvar 5\n"
                       "  2 park blocked_condvar 2\n");
  static const struct path_stretch line[] = {{0, 0, 100}, {1, 100, 300}, {2, 300, 702}};
  const struct path_line *found_line = &found.of.paths.list[0].line;
  assert_int_equal(found_line->stretches.count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(found_line->stretches.items[i].location, line[i].location);
    assert_int_equal(found_line->stretches.items[i].begin, line[i].begin);
    assert_int_equal(found_line->stretches.items[i].end, line[i].end);
  }
  forget(&found, fixture);
}

/*
 * Thread 0 creates 3, which creates 2, which creates 1; each waits for the thread that it created. Each continues its
 * creator's path, and its creator continues its own. Threads 2 and 3 have their last event after their join.
 */
static void creation_and_join_of_posix_threads_are_exact(void **state)
{
  struct fixture *fixture = fixture_create();
  (void)state;
  add_threads(fixture, 4, "pthread");
  uint32_t work = add_work(fixture);
  uint32_t start = java(fixture, "pthread start", OTF2_REGION_ROLE_THREAD_CREATE, "state: init");
  uint32_t join = java(fixture, "pthread join", OTF2_REGION_ROLE_THREAD_WAIT, "state: synch join");
  static const uint64_t created[] = {0, 60, 40, 20}, begun[] = {0, 63, 44, 25}, ended[] = {100, 80, 85, 90};
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t below = i == 0 ? 3 : i - 1;
    fixture_thread_begin(fixture, i, created[i]);
    if (i != 0) {
      fixture_enter(fixture, i, created[i], start);
      fixture_leave(fixture, i, begun[i], start);
    }
    fixture_enter(fixture, i, begun[i], work);
    if (i != 1) {
      fixture_thread_create(fixture, i, created[below], below);
      fixture_enter_pthread(fixture, i, created[below] + 8, join, (struct fixture_pthread){0});
      fixture_thread_wait(fixture, i, ended[below] + (below == 1 ? 2 : -1), below);
      fixture_leave(fixture, i, ended[below] + (below == 1 ? 2 : -1), join);
    }
    fixture_leave(fixture, i, ended[i], work);
    fixture_thread_end(fixture, i, ended[i]);
  }
  struct found found = find(fixture);
  expect_waits(&found, "pthread join: 3 times, 111, longest 61\n"
                       "  by 3 at -: 1 times, 61, went on after 0, with a wait of 36 at pthread join\n"
                       "  by 2 at -: 1 times, 36, went on after 0, with a wait of 14 at pthread join\n"
                       "  by 1 at -: 1 times, 14, went on after 2\n");
  expect_paths(&found, "100 to 0\n"
                       "  0 work run 31\n"
                       "  3 work run 20\n"
                       "  2 work run 18\n"
                       "  1 work run 17\n"
                       "  3 pthread start init 5\n"
                       "  2 pthread start init 4\n"
                       "  1 pthread start init 3\n"
                       "  2 pthread join synch_join 2\n");
  forget(&found, fixture);
}

/* The same object in another process is another object. */
static void processes_are_not_connected(void **state)
{
  struct fixture *fixture = fixture_create();
  (void)state;
  add_threads(fixture, 2, "java");
  fixture_process(fixture, 1, 1);
  uint32_t work = add_work(fixture);
  uint32_t wait = java(fixture, "Object.wait", OTF2_REGION_ROLE_THREAD_WAIT, "state: blocked in condvar");
  uint32_t one = java(fixture, "notify", OTF2_REGION_ROLE_FUNCTION, NULL);
  begin_all(fixture, 2, work);
  enter_wait(fixture, 0, 10, wait, 5);
  signal_object(fixture, 1, 30, one, 5);
  fixture_leave(fixture, 0, 50, wait);
  fixture_leave(fixture, 0, 100, work);
  fixture_leave(fixture, 1, 200, work);
  struct found found = find(fixture);
  expect_waits(&found, "Object.wait: 1 times, 40, longest 40\n  unknown: 1 times, 40\n");
  expect_paths(&found, "100 to 0\n"
                       "  0 work run 60\n"
                       "  0 Object.wait blocked_condvar 40\n"
                       "200 to 1\n"
                       "  1 work run 200\n");
  forget(&found, fixture);
}

static void task_event(struct fixture *fixture, uint32_t thread, uint64_t time, uint32_t number, int ends)
{
  OTF2_EvtWriter *writer = fixture_writer(fixture, thread);
  if (ends)
    OTF2_EvtWriter_ThreadTaskComplete(writer, NULL, time, 0, 0, number);
  else
    OTF2_EvtWriter_ThreadTaskSwitch(writer, NULL, time, 0, 0, number);
}

/* Thread 0 creates two tasks; it executes the first one, thread 1 the second, longer one, for which taskwait waits. */
static void the_last_child_ends_a_taskwait(void **state)
{
  struct fixture *fixture = fixture_create();
  uint32_t parallel = fixture_openmp(fixture, "!$omp parallel", OTF2_REGION_ROLE_PARALLEL), t[2];
  uint32_t wait = fixture_openmp(fixture, "!$omp taskwait", OTF2_REGION_ROLE_TASK_WAIT);
  uint32_t task = fixture_openmp(fixture, "!$omp task", OTF2_REGION_ROLE_TASK);
  uint32_t barrier = fixture_openmp(fixture, "!$omp barrier", OTF2_REGION_ROLE_BARRIER);
  (void)state;
  for (uint32_t i = 0; i < 2; i++)
    t[i] = fixture_location(fixture, "thread");
  fixture_thread_type(fixture, 0, "initial");
  fixture_thread_type(fixture, 1, "worker");
  uint32_t team = fixture_team(fixture, t, 2);
  fixture_enter(fixture, 0, 0, parallel);
  fixture_fork(fixture, 0, 10);
  fixture_team_begin(fixture, 0, 20, team);
  fixture_team_begin(fixture, 1, 20, team);
  fixture_enter(fixture, 1, 30, barrier);
  fixture_create_task(fixture, 0, 40, (struct fixture_task){.team = team, .number = 1});
  fixture_create_task(fixture, 0, 50, (struct fixture_task){.team = team, .number = 2});
  task_event(fixture, 1, 60, 2, 0);
  fixture_enter(fixture, 1, 60, task);
  fixture_leave(fixture, 1, 400, task);
  task_event(fixture, 1, 400, 2, 1);
  fixture_enter(fixture, 0, 70, wait);
  task_event(fixture, 0, 80, 1, 0);
  fixture_enter(fixture, 0, 80, task);
  fixture_leave(fixture, 0, 180, task);
  task_event(fixture, 0, 180, 1, 1);
  fixture_leave(fixture, 0, 410, wait);
  fixture_enter(fixture, 0, 420, barrier);
  fixture_leave(fixture, 0, 430, barrier);
  fixture_leave(fixture, 1, 440, barrier);
  fixture_team_end(fixture, 1, 445, team);
  fixture_team_end(fixture, 0, 450, team);
  fixture_join(fixture, 0, 460);
  fixture_leave(fixture, 0, 470, parallel);
  struct found found = find(fixture);
  expect_waits(&found, "!$omp taskwait: 1 times, 240, longest 240\n"
                       "  by 1 at !$omp task: 1 times, 240, went on after 10\n"
                       "!$omp barrier: 2 times, 80, longest 70\n"
                       "  by 0 at !$omp barrier: 1 times, 70, went on after 20, with a wait of 10 at !$omp taskwait\n"
                       "  itself: 1 times, 10\n");
  /* The path is on thread 0 up to 50, the second creation, and on thread 1 up to 400, the task's end. Then it is on
   * thread 0. */
  expect_paths(&found, "470 to 0\n"
                       "  1 !$omp task run 340\n"
                       "  0 !$omp parallel run 80\n"
                       "  0 !$omp parallel overhead 20\n"
                       "  0 !$omp taskwait synch_taskwait 10\n"
                       "  0 !$omp barrier synch_barrier 10\n"
                       "  1 !$omp barrier synch_barrier 10\n");
  forget(&found, fixture);
}

/* Two threads hand over again and again: paths share what is before, and nodes do not add up. */
static void memory_is_bounded(void **state)
{
  struct fixture *fixture = fixture_create();
  struct error error = {""};
  (void)state;
  add_threads(fixture, 2, "java");
  uint32_t work = add_work(fixture);
  begin_all(fixture, 2, work);
  struct trace *trace = trace_open(fixture_finish(fixture), &error);
  assert_non_null(trace);
  struct paths *paths = paths_create(trace);
  assert_true(paths && paths_begin(paths, 0, 1) && paths_begin(paths, 1, 1));
  size_t most = 0;
  for (uint64_t time = 2; time < 200000; time++) {
    uint32_t waker = time % 2, woken = 1 - waker;
    bool taken;
    assert_true(paths_extend(paths, (struct path_part){waker, 0, STATE_RUN}, time));
    assert_true(paths_keep(paths, waker));
    assert_true(paths_continue(paths, waker, time, (struct path_part){woken, 0, STATE_BLOCKED_MUTEX}, time, &taken));
    assert_true(taken);
    most = paths_nodes(paths) > most ? paths_nodes(paths) : most;
  }
  assert_true(most <= 2 * (PATHS_KEPT + 4)); /* only moments from which a thread can still continue have a node */
  struct path_line line;
  assert_true(paths_line(paths, 0, &line));
  size_t count = line.stretches.count;
  assert_in_range(count, LINE_MOST / 4, LINE_MOST);
  assert_int_equal(line.stretches.items[0].begin, 1);
  assert_in_range(line.stretches.items[count - 1].end, 199998, 199999);
  for (size_t i = 1; i < count; i++)
    assert_int_equal(line.stretches.items[i].begin, line.stretches.items[i - 1].end);
  line_free(&line);
  paths_destroy(paths);
  trace_close(trace);
  fixture_destroy(fixture);
}

/* Thread 0 leaves at the very tick at which thread 1, with the higher number, arrives. */
static void a_wait_ends_at_the_time_of_its_signal(void **state)
{
  struct fixture *fixture = fixture_create();
  (void)state;
  add_threads(fixture, 2, "other");
  uint32_t work = add_work(fixture);
  uint32_t barrier = java(fixture, "pthread barrier", OTF2_REGION_ROLE_THREAD_WAIT, "state: blocked in condvar");
  begin_all(fixture, 2, work);
  enter_wait(fixture, 0, 10, barrier, 3);
  fixture_leave(fixture, 0, 70, barrier);
  enter_wait(fixture, 1, 70, barrier, 3);
  fixture_leave(fixture, 1, 70, barrier);
  end_all(fixture, 2, 100, work);
  struct found found = find(fixture);
  expect_waits(&found, "pthread barrier: 2 times, 60, longest 60\n"
                       "  by 1 at pthread barrier: 1 times, 60, went on after 0\n"
                       "  itself: 1 times, 0\n");
  expect_paths(&found, "100 to 0\n"
                       "  1 work run 70\n"
                       "  0 work run 30\n");
  forget(&found, fixture);
}

UNIT_TEST(wakers)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_arrival_ends_a_barrier),
      cmocka_unit_test(a_thousand_waits_have_their_wakers),
      cmocka_unit_test(two_signals_in_flight_are_ambiguous),
      cmocka_unit_test(an_unpark_may_come_before_the_unmount),
      cmocka_unit_test(pthread_waits_have_their_wakers),
      cmocka_unit_test(the_path_of_a_pipeline),
      cmocka_unit_test(creation_and_join_of_posix_threads_are_exact),
      cmocka_unit_test(processes_are_not_connected),
      cmocka_unit_test(the_last_child_ends_a_taskwait),
      cmocka_unit_test(a_wait_ends_at_the_time_of_its_signal),
      cmocka_unit_test(memory_is_bounded),
  };
  return cmocka_run_group_tests_name("wakers", tests, NULL, NULL);
}
