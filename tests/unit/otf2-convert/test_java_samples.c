/* What the converter makes of samples of Java threads: records that name calls, and the process file's lines of these.
 */
#include "common/raw/kernel_log.h"
#include "otf2-convert/samples/samples.h"
#include "tests/unit/otf2-convert/archive_text.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAMES                                                                                                          \
  "place: 1 0 40 app.LU run LU.java\nplace: 2 0 7 app.LU main LU.java\nplace: 3 0 0 app.Native call -\n"               \
  "java-sampling: 4000000\ncall: 2 0 2\ncall: 3 2 1\ncall: 4 3 3\ncall: 5 1 1\ncall: 6 2 1\ncall: 7 3 0\n"

static struct raw_thread *begin_thread(const char *directory, uint32_t number, uint64_t time)
{
  struct raw_thread *thread = raw_thread_open(directory, number, 4096, 0);
  RAW0(thread, RAW_THREAD_BEGIN, 0, 100 + number, time);
  RAW1(thread, RAW_JAVA_THREAD, 0, 1 + number, time, 0);
  return thread;
}

static void put_sample(struct raw_thread *thread, uint64_t call, uint64_t time)
{
  RAW0(thread, RAW_JAVA_SAMPLE, 0, call, time);
}

static void end_thread(struct raw_thread *thread, uint64_t time)
{
  RAW0(thread, RAW_THREAD_END, 0, 0, time);
  raw_thread_close(thread);
}

static void expect_samples(const struct trace_test *trace, uint64_t location, const char *events)
{
  char anchor[64];
  snprintf(anchor, sizeof anchor, "%s/samples.otf2", trace->path);
  char *text = archive_text(anchor, location);
  assert_non_null(text);
  assert_string_equal(text, events);
  free(text);
}

static void samples_are_paths(void **state)
{
  const struct trace_test *trace = *state;
  char *directory = raw_write_process(
      trace->path, "h.1.1", RAW_PLAIN_PROCESS NAMES "java-samples: 3 2 1 0\njava-samples: 11 6 2 0 0 0 0 3\n");
  struct raw_thread *thread = begin_thread(directory, 0, 10);
  put_sample(thread, 3, 20);
  put_sample(thread, 4, 30);
  put_sample(thread, 6, 40); /* another instruction of the same line is the same place */
  put_sample(thread, 5, 50);
  put_sample(thread, 7, 60);
  put_sample(thread, 2, 70);
  end_thread(thread, 80);
  thread = begin_thread(directory, 1, 15);
  end_thread(thread, 90);
  free(directory);
  trace_test_convert(trace);
  expect_samples(trace, 0,
                 "20 sample app.LU.main:7 > app.LU.run:40 (3)\n"
                 "30 sample app.LU.main:7 > app.LU.run:40 > app.Native.call (2)\n"
                 "40 sample app.LU.main:7 > app.LU.run:40 (1)\n"
                 "50 sample [callers unknown] > app.LU.run:40 (3)\n"
                 "60 sample app.LU.main:7 > app.LU.run:40 > [unknown method] (4)\n"
                 "70 sample app.LU.main:7 (1)\n");
  expect_samples(trace, 1, "");
  trace_test_events(trace, 0, "10 thread-begin\n80 thread-end\n");
  trace_test_property(trace, "HEDDLE::SAMPLES", "6");
  trace_test_property(trace, "HEDDLE::SAMPLES_LOST", "5");
  trace_test_property(trace, "HEDDLE::SAMPLES_LOST_WHY", "2 at once with another, 3 in garbage collection");
  trace_test_property(trace, "HEDDLE::SAMPLES_CUT", "1");
  trace_test_property(trace, "HEDDLE::SAMPLES_UNNAMED", "1");
}

/* The process was killed before it said what its calls are. */
static void calls_without_a_line_are_unknown(void **state)
{
  const struct trace_test *trace = *state;
  char *directory = raw_write_process(trace->path, "h.1.1", RAW_PLAIN_PROCESS NAMES "call: 9 8 1\n");
  struct raw_thread *thread = begin_thread(directory, 0, 10);
  put_sample(thread, 9, 20); /* its caller has no line */
  put_sample(thread, 8, 30);
  put_sample(thread, 0, 40);
  put_sample(thread, RAW_CALL_CUT, 50);
  put_sample(thread, RAW_VALUE_MASK, 60);
  end_thread(thread, 80);
  free(directory);
  trace_test_convert(trace);
  expect_samples(trace, 0,
                 "20 sample [callers unknown] > app.LU.run:40 (3)\n30 sample [unknown method] (2)\n40 sample [unknown "
                 "method] (1)\n"
                 "50 sample [unknown method] (1)\n60 sample [unknown method] (1)\n");
}

static void without_a_period_there_is_no_archive(void **state)
{
  const struct trace_test *trace = *state;
  char anchor[64], *directory = raw_write_process(trace->path, "h.1.1", RAW_PLAIN_PROCESS "call: 2 0 1\n");
  struct raw_thread *thread = begin_thread(directory, 0, 10);
  put_sample(thread, 2, 20);
  end_thread(thread, 80);
  free(directory);
  trace_test_convert(trace);
  snprintf(anchor, sizeof anchor, "%s/samples.otf2", trace->path);
  FILE *file = fopen(anchor, "r");
  assert_null(file);
}

#define AHEAD 1000000000u /* CLOCK_MONOTONIC_RAW is so far ahead of the archive's time */
#define MS    1000000u

static void put(FILE *log, uint32_t kind, uint64_t time, uint64_t who, uint32_t processor)
{
  struct kernel_record record = {.time = AHEAD + time, .who = who, .kind = kind, .processor = processor};
  assert_int_equal(fwrite(&record, sizeof record, 1, log), 1);
}

static void put_round(FILE *log, uint64_t time)
{
  put(log, KERNEL_ROUND, time, 0, 0);
  put(log, KERNEL_CLOCKS, time, time, 0);
}

/* Trigger 0: cpu, of the agent's period; 1: page faults. One stack. */
static FILE *open_log(const struct trace_test *trace)
{
  char path[256];
  const struct kernel_log_header header = {.magic = KERNEL_LOG_MAGIC, .boot_id = "b007", .pid_namespace = 77};
  const char names[2][sizeof(struct kernel_record)] = {"cpu", "page-faults"};
  const uint64_t stack[] = {0x1000, 0, 0};
  snprintf(path, sizeof path, "%s/kernel", trace->path);
  assert_int_equal(mkdir(path, 0700), 0);
  strcat(path, "/h.9.log");
  FILE *log = fopen(path, "w");
  assert_non_null(log);
  assert_int_equal(fwrite(&header, sizeof header, 1, log), 1);
  put_round(log, 0);
  for (uint32_t i = 0; i < 2; i++) {
    put(log, KERNEL_NAME, 0, i + 1, (uint32_t)strlen(names[i]));
    assert_int_equal(fwrite(names[i], sizeof names[i], 1, log), 1);
    put(log, KERNEL_SAMPLER, 0, 4 * MS, (i + 1) | (i == 0 ? KERNEL_SAMPLER_TIME : 0));
  }
  put(log, KERNEL_STACK, 0, 1, 1);
  assert_int_equal(fwrite(stack, sizeof stack, 1, log), 1);
  return log;
}

static void put_kernels(FILE *log, uint32_t thread, uint32_t trigger, uint64_t time)
{
  put(log, KERNEL_SAMPLE, time, (uint64_t)1 << 32 | (100 + thread), 1 | trigger << KERNEL_TRIGGER_AT);
}

/* The kernel's stay where they count something else, or where the agent takes none: before the thread is Java's, and of
 * the JVM's own threads. */
static void no_time_counts_twice(void **state)
{
  const struct trace_test *trace = *state;
  char *directory = raw_write_process(
      trace->path, "h.1.1", RAW_PLAIN_PROCESS "boot-id: b007\npid-namespace: 77\n" NAMES "java-samples: 3 1 0 2\n");
  FILE *log = open_log(trace);
  put_kernels(log, 0, 0, 20 * MS);
  put_kernels(log, 0, 0, 50 * MS); /* it alone goes */
  put_kernels(log, 0, 1, 55 * MS);
  put_kernels(log, 1, 0, 50 * MS);
  put(log, KERNEL_LOST, 56 * MS, 9, 0);
  put(log, KERNEL_SAMPLES_LOST, 56 * MS, 4, 0);
  put_round(log, 100 * MS);
  fclose(log);
  struct raw_thread *thread = raw_thread_open(directory, 0, 4096, 0);
  RAW0(thread, RAW_THREAD_BEGIN, 0, 100, 10);
  RAW1(thread, RAW_JAVA_THREAD, 0, 1, 40 * MS, 0);
  put_sample(thread, 3, 60 * MS);
  end_thread(thread, 80 * MS);
  thread = raw_thread_open(directory, 1, 4096, 0);
  RAW0(thread, RAW_THREAD_BEGIN, 0, 101, 10);
  RAW1(thread, RAW_JAVA_THREAD, RAW_JAVA_INTERNAL, 0, 15, 0);
  end_thread(thread, 80 * MS);
  free(directory);
  trace_test_convert(trace);
  expect_samples(trace, 0,
                 "20000000 sample [unknown] (2)\n55000000 sample [unknown] (1)\n"
                 "60000000 sample app.LU.main:7 > app.LU.run:40 (3)\n");
  expect_samples(trace, 1, "50000000 sample [unknown] (2)\n");
  trace_test_property(trace, "HEDDLE::SAMPLES", "4");
  trace_test_property(trace, "HEDDLE::SAMPLES_LEFT_OUT", "0");
  trace_test_property(trace, "HEDDLE::SAMPLES_LOST", "6");
  trace_test_property(trace, "HEDDLE::SAMPLES_LOST_WHY", "2 in the recorder, 4 beyond the kernel's buffers");
  trace_test_property(trace, "HEDDLE::SWITCHES_LOST", "5");
}

static bool add_call(struct java_calls *calls, const char *text)
{
  char line[64];
  snprintf(line, sizeof line, "%s", text);
  return java_calls_add(calls, line);
}

static void expect_path(const struct sample_path *path, uint32_t depth, uint64_t first, uint64_t last, bool whole)
{
  assert_int_equal(path->depth, depth);
  assert_int_equal(path->whole, whole);
  assert_int_equal(path->steps[0].code, first);
  assert_int_equal(path->steps[depth - 1].code, last);
  for (uint32_t i = 0; i < depth; i++)
    assert_true(path->steps[i].java && path->steps[i].outlined == 0);
}

static void lines_that_cannot_be_are_left_out(void **state)
{
  (void)state;
  static const char *const bad[] = {"",
                                    "x y z",
                                    "0 0 1",
                                    "1 0 1",
                                    "5 5 1",
                                    "5 6 1",
                                    "2 2 1",
                                    "-3 0 1",
                                    "4 0 18446744073709551615",
                                    "1048576 0 1",
                                    "99999999999 2 1"};
  struct java_calls calls = {0};
  static struct sample_path path;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_true(add_call(&calls, bad[i]));
  for (uint32_t id = 0; id < 8; id++) {
    java_samples_path(&calls, id, &path);
    expect_path(&path, 1, 0, 0, true);
  }
  assert_true(add_call(&calls, "3 0 7"));
  assert_true(add_call(&calls, "3 0 8")); /* the first line counts */
  java_samples_path(&calls, 3, &path);
  expect_path(&path, 1, 7, 7, true);
  java_calls_free(&calls);
}

static void a_stack_that_is_too_deep_is_cut(void **state)
{
  (void)state;
  struct java_calls calls = {0};
  static struct sample_path path;
  char line[64];
  for (unsigned id = RAW_CALL_FIRST; id < RAW_CALL_FIRST + SAMPLE_DEPTH_MOST + 1; id++) {
    snprintf(line, sizeof line, "%u %u %u", id, id == RAW_CALL_FIRST ? 0 : id - 1, id);
    assert_true(java_calls_add(&calls, line));
  }
  unsigned deepest = RAW_CALL_FIRST + SAMPLE_DEPTH_MOST - 1;
  java_samples_path(&calls, deepest, &path);
  expect_path(&path, SAMPLE_DEPTH_MOST, RAW_CALL_FIRST, deepest, true);
  java_samples_path(&calls, deepest + 1, &path);
  expect_path(&path, SAMPLE_DEPTH_MOST, RAW_CALL_FIRST + 1, deepest + 1, false);
  java_calls_free(&calls);
}

UNIT_TEST(java_samples)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(samples_are_paths, trace_test_set_up, trace_test_tear_down),
      cmocka_unit_test_setup_teardown(calls_without_a_line_are_unknown, trace_test_set_up, trace_test_tear_down),
      cmocka_unit_test_setup_teardown(without_a_period_there_is_no_archive, trace_test_set_up, trace_test_tear_down),
      cmocka_unit_test_setup_teardown(no_time_counts_twice, trace_test_set_up, trace_test_tear_down),
      cmocka_unit_test(lines_that_cannot_be_are_left_out),
      cmocka_unit_test(a_stack_that_is_too_deep_is_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
