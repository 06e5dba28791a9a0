/* When the raw trace may go: never a part of it, for a later conversion would have the rest alone. */
#include "otf2-convert/messages.h"
#include "otf2-convert/plan/plan.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has(const struct trace_test *trace, const char *name)
{
  char path[128];
  snprintf(path, sizeof path, "%s/%s", trace->path, name);
  return access(path, F_OK) == 0;
}

static void open_plan(const struct trace_test *trace, int *fd, struct plan *plan)
{
  struct error error;
  free(raw_write_process(trace->path, "a.1.1", RAW_PLAIN_PROCESS));
  free(raw_write_process(trace->path, "b.2.1", RAW_PLAIN_PROCESS));
  *fd = open(trace->path, O_RDONLY | O_DIRECTORY);
  assert_int_equal(plan_open(plan, *fd, trace->path, PLAN_LIVE_REFUSE, &error), PLAN_READY);
}

static void it_goes_as_a_whole(void **state)
{
  struct plan plan;
  int fd;
  open_plan(*state, &fd, &plan);
  assert_false(plan_has_newcomer(&plan));
  plan_remove_raw(&plan, fd, ".meanwhile");
  assert_false(has(*state, "raw"));
  assert_false(has(*state, ".meanwhile"));
  plan_close(&plan);
  close(fd);
}

/* A process that has begun since: its file is locked before anything is in it, or has something in it. */
static void a_newcomer_keeps_it(void **state)
{
  struct plan plan;
  int fd, file;
  open_plan(*state, &fd, &plan);
  assert_int_equal(mkdirat(fd, "raw/c.3.1", 0700), 0);
  assert_false(plan_has_newcomer(&plan));
  file = openat(fd, "raw/c.3.1/process", O_RDWR | O_CREAT, 0600);
  assert_true(file >= 0);
  assert_false(plan_has_newcomer(&plan));
  assert_int_equal(flock(file, LOCK_EX), 0);
  assert_true(plan_has_newcomer(&plan));
  close(file);
  assert_false(plan_has_newcomer(&plan));
  free(raw_write_process(((struct trace_test *)*state)->path, "d.4.1", RAW_PLAIN_PROCESS));
  assert_true(plan_has_newcomer(&plan));
  plan_close(&plan);
  close(fd);
}

static void what_is_not_ours_stays_in_it(void **state)
{
  struct plan plan;
  int fd;
  open_plan(*state, &fd, &plan);
  assert_int_equal(mkdirat(fd, "raw/somebody's", 0700), 0);
  plan_remove_raw(&plan, fd, ".meanwhile");
  assert_true(has(*state, "raw/somebody's"));
  assert_false(has(*state, "raw/a.1.1"));
  assert_false(has(*state, "raw/b.2.1"));
  assert_false(has(*state, ".meanwhile"));
  plan_close(&plan);
  close(fd);
}

static void touch(int fd, const char *path)
{
  int file = openat(fd, path, O_RDWR | O_CREAT, 0600);
  assert_true(file >= 0);
  close(file);
}

/* Killed when it had made its files: it is no process of the trace, and no reason to keep the raw trace. */
static void who_was_killed_before_it_recorded_goes(void **state)
{
  const struct trace_test *trace = *state;
  struct plan plan;
  struct error error;
  free(raw_write_process(trace->path, "a.1.1", RAW_PLAIN_PROCESS));
  int fd = open(trace->path, O_RDONLY | O_DIRECTORY);
  assert_int_equal(mkdirat(fd, "raw/c.3.1", 0700), 0);
  assert_int_equal(mkdirat(fd, "raw/d.4.1", 0700), 0);
  touch(fd, "raw/d.4.1/process");
  touch(fd, "raw/d.4.1/windows");
  touch(fd, "raw/d.4.1/chunks-0.log");
  assert_int_equal(plan_open(&plan, fd, trace->path, PLAN_LIVE_REFUSE, &error), PLAN_READY);
  assert_int_equal(plan.processes.count, 1);
  plan_remove_raw(&plan, fd, ".meanwhile");
  assert_false(has(trace, "raw"));
  assert_false(has(trace, ".meanwhile"));
  plan_close(&plan);
  close(fd);
}

/* There is nothing but such ones: as if there were no raw trace. */
static void nobody_recorded(void **state)
{
  const struct trace_test *trace = *state;
  struct plan plan;
  struct error error;
  free(raw_write_process(trace->path, "d.4.1", NULL));
  int fd = open(trace->path, O_RDONLY | O_DIRECTORY);
  touch(fd, "raw/d.4.1/process");
  assert_int_equal(plan_open(&plan, fd, trace->path, PLAN_LIVE_REFUSE, &error), PLAN_NO_RAW);
  plan_close(&plan);
  close(fd);
}

UNIT_TEST(raw_removal)
{
  message_set_quiet(true);
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, trace_test_set_up, trace_test_tear_down)
      TEST(it_goes_as_a_whole),
      TEST(a_newcomer_keeps_it),
      TEST(what_is_not_ours_stays_in_it),
      TEST(who_was_killed_before_it_recorded_goes),
      TEST(nobody_recorded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
