/* Samples of native code that are followed: whose they are, and what a log does not say. Their code is in no module. */
#include "otf2-convert/live/live_native.h"
#include "tests/unit/otf2-convert/raw_writer.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROCESS RAW_PLAIN_PROCESS "boot-id: b007\npid-namespace: 77\n"
#define AT      1000000000u /* CLOCK_MONOTONIC_RAW is so far ahead of the threads' times */
#define MS      1000000u
#define LATER   (UINT64_MAX / 2)

struct fixture {
  struct trace_test trace;
  char *directory;
  int fd;
  struct plan plan;
  struct definitions definitions;
  struct live_look look;
  FILE *log;
  struct live_native *native;
};

static void put(struct fixture *f, uint32_t kind, uint64_t time, uint64_t who, uint32_t processor)
{
  struct kernel_record record = {.time = AT + time, .who = who, .kind = kind, .processor = processor};
  assert_int_equal(fwrite(&record, sizeof record, 1, f->log), 1);
  fflush(f->log);
}

static void put_round(struct fixture *f, uint64_t time)
{
  put(f, KERNEL_ROUND, time, time, 0);
  put(f, KERNEL_CLOCKS, time, time, 0);
}

static void put_sample(struct fixture *f, uint64_t time, uint64_t pid, uint64_t tid)
{
  put(f, KERNEL_SAMPLE, time, pid << 32 | tid, 1);
}

static void add_thread(struct fixture *f, uint32_t number, uint64_t tid, uint64_t begun)
{
  struct live_thread thread = {.number = number, .known = true, .is = {.tid = tid, .begun = begun}};
  assert_true(vector_push(&f->look.threads, thread));
}

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  char path[256];
  uint64_t address[3] = {4711};
  struct kernel_log_header header = {.magic = KERNEL_LOG_MAGIC, .boot_id = "b007", .pid_namespace = 77};
  struct process process = {.raw = {.fd = -1}};
  trace_test_begin(&f->trace);
  f->directory = raw_write_process(f->trace.path, "h.1.1", PROCESS);
  f->fd = open(f->directory, O_RDONLY | O_DIRECTORY);
  assert_true(process_info_read(&process.info, f->fd, "process"));
  f->plan.raw_fd = -1;
  assert_true(vector_push(&f->plan.processes, process));
  definitions_begin(&f->definitions, &f->plan);
  live_look_begin(&f->look);
  snprintf(path, sizeof path, "%s/kernel", f->trace.path);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_null(live_native_begin(f->fd, &f->definitions));
  strcat(path, "/h.9.log");
  f->log = fopen(path, "w");
  assert_int_equal(fwrite(&header, sizeof header, 1, f->log), 1);
  put_round(f, 0);
  put(f, KERNEL_SAMPLER, 0, 1000, 0);
  put(f, KERNEL_STACK, 0, 1, 1);
  assert_int_equal(fwrite(address, sizeof address, 1, f->log), 1);
  fflush(f->log);
  f->native = live_native_begin(f->fd, &f->definitions);
  assert_non_null(f->native);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;
  live_native_free(f->native);
  fclose(f->log);
  live_look_end(&f->look);
  definitions_free(&f->definitions);
  process_info_free(&f->plan.processes.items[0].info);
  vector_free(&f->plan.processes);
  close(f->fd);
  trace_test_end(&f->trace);
  free(f->directory);
  free(f);
  return 0;
}

/* Samples of a thread, which are all in one function. */
static uint64_t counted_of(struct fixture *f, uint32_t thread)
{
  size_t count;
  assert_true(live_native_sum(f->native, true));
  const struct live_function *function = live_native_of(f->native, thread, &count);
  assert_true(count <= 1);
  assert_true(count == 0 || function->self == function->total);
  return count == 0 ? 0 : function->self;
}

static void they_are_of_the_process_and_its_threads(void **state)
{
  struct fixture *f = *state;
  add_thread(f, 0, 100, 1);
  add_thread(f, 1, 101, 1);
  for (uint64_t i = 1; i <= 5; i++)
    put_sample(f, i * MS, 1, 100);
  put_sample(f, 6 * MS, 1, 101);
  put_sample(f, 6 * MS, 2, 100);                                                       /* of another process */
  put(f, KERNEL_SAMPLE, 6 * MS, (uint64_t)1 << 32 | 100, 2);                           /* no stack of that number */
  put(f, KERNEL_SAMPLE, 6 * MS, (uint64_t)1 << 32 | 100, 1 | 3u << KERNEL_TRIGGER_AT); /* nor such a trigger */
  assert_true(live_native_take(f->native, &f->look, LATER, true));
  assert_int_equal(counted_of(f, 0), 5);
  assert_int_equal(counted_of(f, 1), 1);
  assert_int_equal(counted_of(f, 2), 0);
}

/* A thread of the kernel that is several in turn; the first one is seen late. */
static void they_are_of_whom_the_thread_was_then(void **state)
{
  struct fixture *f = *state;
  for (uint64_t i = 1; i <= 3; i++)
    put_sample(f, 10 * i * MS, 1, 100);
  put_round(f, 35 * MS);
  put_round(f, 36 * MS);
  assert_true(live_native_take(f->native, &f->look, LATER, false));
  assert_int_equal(counted_of(f, 0), 0);
  add_thread(f, 0, 100, MS);
  add_thread(f, 1, 100, 38 * MS);
  for (uint64_t i = 4; i <= 5; i++)
    put_sample(f, 10 * i * MS, 1, 100);
  assert_true(live_native_take(f->native, &f->look, LATER, true));
  assert_int_equal(counted_of(f, 0), 3);
  assert_int_equal(counted_of(f, 1), 2);
}

/* ... by a look that may not know a thread that began later. */
static void they_wait_for_a_look_that_is_later(void **state)
{
  struct fixture *f = *state;
  add_thread(f, 0, 100, 1);
  put_sample(f, 10 * MS, 1, 100);
  put_sample(f, 20 * MS, 1, 100);
  put_round(f, 30 * MS);
  put_round(f, 31 * MS);
  assert_true(live_native_take(f->native, &f->look, AT + 15 * MS, false));
  assert_int_equal(counted_of(f, 0), 1);
  assert_true(live_native_has_news(f->native, 0));
  assert_false(live_native_has_news(f->native, 0));
  assert_true(live_native_take(f->native, &f->look, AT + 25 * MS, false));
  assert_int_equal(counted_of(f, 0), 2);
  assert_true(live_native_has_news(f->native, 0));
}

/* The process file has a library: code that was in none may be in it. What was counted is counted once, and stays until
 * it is counted again: no counter falls. */
static void all_begins_anew_where_code_was_unknown(void **state)
{
  struct fixture *f = *state;
  struct code_modules modules;
  add_thread(f, 0, 100, 1);
  for (uint64_t i = 1; i <= 9; i++)
    put_sample(f, i * MS, 1, 100);
  put_round(f, 20 * MS);
  put_round(f, 21 * MS);
  assert_true(live_native_take(f->native, &f->look, LATER, false));
  assert_int_equal(counted_of(f, 0), 9);
  definitions_take_modules(&f->definitions, &modules);
  definitions_free(&f->definitions);
  struct module module = {.build_id = strdup("-"), .path = strdup("/nothing.so")};
  assert_true(vector_push(&f->plan.processes.items[0].info.modules.modules, module));
  definitions_begin(&f->definitions, &f->plan);
  definitions_give_modules(&f->definitions, &modules);
  live_native_renew(f->native, &f->definitions);
  assert_int_equal(counted_of(f, 0), 9);
  assert_false(live_native_has_news(f->native, 0)); /* nor is it reported as it is meanwhile */
  put_sample(f, 22 * MS, 1, 100);
  assert_true(live_native_take(f->native, &f->look, LATER, true));
  assert_int_equal(counted_of(f, 0), 10);
}

/* ... but not when it has a name, also in a process that unloads libraries. */
static void nothing_begins_anew_where_modules_are_the_same(void **state)
{
  struct fixture *f = *state;
  struct live_paths paths;
  live_paths_begin(&paths, &f->definitions);
  f->plan.processes.items[0].info.modules.map.timed = true;
  assert_true(live_paths_renew(&paths, &f->definitions, true));
  assert_false(live_paths_renew(&paths, &f->definitions, false));
  f->plan.processes.items[0].info.modules.map.timed = false;
  live_paths_free(&paths);
}

/* A thread that is seen late, and no further sample. */
static void sums_are_made_anew_when_a_thread_is_seen(void **state)
{
  struct fixture *f = *state;
  size_t count;
  put_sample(f, 10 * MS, 1, 100);
  put_round(f, 30 * MS);
  put_round(f, 31 * MS);
  assert_true(live_native_take(f->native, &f->look, LATER, false));
  assert_true(live_native_sum(f->native, false));
  assert_null(live_native_of(f->native, 0, &count));
  add_thread(f, 0, 100, 1);
  assert_true(live_native_take(f->native, &f->look, LATER, false));
  assert_true(live_native_sum(f->native, false));
  assert_non_null(live_native_of(f->native, 0, &count));
  assert_true(live_native_sum(f->native, false)); /* nothing is new */
  assert_non_null(live_native_of(f->native, 0, &count));
  assert_int_equal(count, 1);
}

/* The process becomes another program, whose files go with this one's. */
static void samples_of_the_next_program_are_not_its_own(void **state)
{
  struct fixture *f = *state;
  char path[256];
  add_thread(f, 0, 100, 1);
  put_sample(f, 10 * MS, 1, 100);
  put_sample(f, 20 * MS, 1, 100);
  char *next = raw_write_process(f->trace.path, "h.1.2",
                                 "host: testhost\npid: 1\nstart: 1\nexe: /bin/test\narg: test\nclock: monotonic\n"
                                 "anchor: 15000000 15000000 0\nboot-id: b007\npid-namespace: 77\n");
  live_native_find_programs(f->native);
  snprintf(path, sizeof path, "%s/process", next);
  assert_int_equal(unlink(path), 0);
  free(next);
  assert_true(live_native_take(f->native, &f->look, LATER, true));
  assert_int_equal(counted_of(f, 0), 1);
}

UNIT_TEST(live_native)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(they_are_of_the_process_and_its_threads, set_up, tear_down),
      cmocka_unit_test_setup_teardown(they_are_of_whom_the_thread_was_then, set_up, tear_down),
      cmocka_unit_test_setup_teardown(they_wait_for_a_look_that_is_later, set_up, tear_down),
      cmocka_unit_test_setup_teardown(all_begins_anew_where_code_was_unknown, set_up, tear_down),
      cmocka_unit_test_setup_teardown(nothing_begins_anew_where_modules_are_the_same, set_up, tear_down),
      cmocka_unit_test_setup_teardown(sums_are_made_anew_when_a_thread_is_seen, set_up, tear_down),
      cmocka_unit_test_setup_teardown(samples_of_the_next_program_are_not_its_own, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
