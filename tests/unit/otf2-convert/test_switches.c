/* Context switches: where they go between a thread's other events, and what a damaged log can say. */
#include "common/raw/kernel_log.h"
#include "otf2-convert/scan/switches.h"
#include "otf2-convert/timeline/record_details.h"
#include "tests/unit/otf2-convert/archive_text.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BOOT    "b007"
#define SPACE   77u
#define PROCESS RAW_PLAIN_PROCESS "boot-id: " BOOT "\npid-namespace: 77\n"
#define TID     100u
#define AT      1000000000u /* CLOCK_MONOTONIC_RAW is so far ahead of the archive's time */

struct fixture {
  struct trace_test trace;
  char *directory;
  struct raw_thread *thread;
  FILE *log;
};

static void put(struct fixture *f, uint32_t kind, uint64_t time, uint64_t who, uint32_t processor)
{
  struct kernel_record record = {.time = AT + time, .who = who, .kind = kind, .processor = processor};
  assert_int_equal(fwrite(&record, sizeof record, 1, f->log), 1);
}

static void put_round(struct fixture *f, uint64_t time)
{
  put(f, KERNEL_ROUND, time, 0, 0);
  put(f, KERNEL_CLOCKS, time, time, 0);
}

static void open_log(struct fixture *f, const char *boot, uint64_t space)
{
  char path[256];
  struct kernel_log_header header = {.magic = KERNEL_LOG_MAGIC, .pid_namespace = space};
  strcpy(header.boot_id, boot);
  snprintf(path, sizeof path, "%s/kernel", f->trace.path);
  assert_int_equal(mkdir(path, 0700), 0);
  strcat(path, "/h.9.log");
  f->log = fopen(path, "w");
  assert_non_null(f->log);
  assert_int_equal(fwrite(&header, sizeof header, 1, f->log), 1);
  put_round(f, 0);
}

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  trace_test_begin(&f->trace);
  f->directory = raw_write_process(f->trace.path, "h.1.1", PROCESS);
  f->thread = raw_thread_open(f->directory, 0, 65536, 0);
  RAW0(f->thread, RAW_THREAD_BEGIN, 1, TID, 1);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;
  trace_test_end(&f->trace);
  free(f->directory);
  free(f);
  return 0;
}

#define WHO ((uint64_t)1 << 32 | TID)

static void out(struct fixture *f, uint64_t time)
{
  put(f, KERNEL_OUT, time, WHO, 0);
}

static void in(struct fixture *f, uint64_t time)
{
  put(f, KERNEL_IN, time, WHO, 1);
}

static void finish(struct fixture *f, uint64_t time, const char *events)
{
  fclose(f->log);
  RAW0(f->thread, RAW_THREAD_END, 0, 0, time);
  raw_thread_close(f->thread);
  trace_test_convert(&f->trace);
  trace_test_events(&f->trace, 0, events);
}

/* What is not in order in the log, because each processor has a buffer of its own, is in order in the archive. */
static void they_lie_between_the_other_events(void **state)
{
  struct fixture *f = *state;
  open_log(f, BOOT, SPACE);
  put(f, KERNEL_IN, 40000000, WHO, 0);
  put(f, KERNEL_OUT_PREEMPTED, 60000000, WHO, 0);
  out(f, 20000000);
  in(f, 70000000);
  put(f, KERNEL_CALL, 31000000, WHO, SYS_read);
  put(f, KERNEL_OUT, 30000000, (uint64_t)1 << 32 | 101, 0); /* not recorded */
  put(f, KERNEL_COST, 71000000, 1234, 0);
  put_round(f, 75000000);
  RAW0(f->thread, RAW_MASKED_BEGIN, 0, 0, 10000000);
  RAW0(f->thread, RAW_MASKED_END, 0, 0, 50000000);
  finish(f, 100000000,
         "1 thread-begin\n10000000 enter !$omp masked\n20000000 enter blocked in read\n40000000 leave blocked in read\n"
         "50000000 leave !$omp masked\n60000000 enter waits for a processor\n70000000 leave waits for a processor\n"
         "100000000 thread-end\n");
  trace_test_property(&f->trace, "HEDDLE::SWITCHES", "2");
  trace_test_property(&f->trace, "HEDDLE::SWITCHES_LOST", "0");
  trace_test_property(&f->trace, "HEDDLE::SWITCHES_COST", "1234");
}

/* The clocks differ a little: an event in the middle of such a time cuts it in two. */
static void an_event_cuts_them(void **state)
{
  struct fixture *f = *state;
  open_log(f, BOOT, SPACE);
  out(f, 20000000);
  in(f, 50000000);
  put_round(f, 60000000);
  RAW0(f->thread, RAW_MASKED_BEGIN, 0, 0, 10000000);
  RAW0(f->thread, RAW_MASKED_END, 0, 0, 30000000);
  finish(f, 100000000,
         "1 thread-begin\n10000000 enter !$omp masked\n20000000 enter blocked in the kernel\n"
         "30000000 leave blocked in the kernel\n30000000 leave !$omp masked\n30000000 enter blocked in the kernel\n"
         "50000000 leave blocked in the kernel\n100000000 thread-end\n");
}

/* The kernel's thread may be several in turn, all in one slice; their logs are in no order. */
static void each_goes_to_whom_the_thread_was_then(void **state)
{
  struct fixture *f = *state;
  static const uint64_t begins[] = {80000000, 40000000, 60000000};
  open_log(f, BOOT, SPACE);
  for (uint64_t i = 1; i <= 4; i++) {
    out(f, 20000000 * i + 5000000);
    in(f, 20000000 * i + 15000000);
  }
  put_round(f, 97000000);
  RAW0(f->thread, RAW_THREAD_END, 0, 0, 38000000);
  raw_thread_close(f->thread);
  for (unsigned i = 0; i < 3; i++) {
    f->thread = raw_thread_open(f->directory, i + 1, 65536, 0);
    RAW0(f->thread, RAW_THREAD_BEGIN, 1, TID, begins[i]);
    RAW0(f->thread, RAW_THREAD_END, 0, 0, begins[i] + 18000000);
    raw_thread_close(f->thread);
  }
  fclose(f->log);
  trace_test_convert(&f->trace);
  for (unsigned i = 0; i < 4; i++) {
    char expected[256];
    unsigned long begin = i == 0 ? 20000000 : begins[i - 1];
    snprintf(expected, sizeof expected,
             "%lu thread-begin\n%lu enter blocked in the kernel\n%lu leave blocked in the kernel\n%lu thread-end\n",
             i == 0 ? 1 : begin, begin + 5000000, begin + 15000000, begin + 18000000);
    trace_test_events(&f->trace, i, expected);
  }
}

/* After a loss it is not known whether a thread had a processor meanwhile. */
static void a_loss_ends_what_is_known(void **state)
{
  struct fixture *f = *state;
  open_log(f, BOOT, SPACE);
  out(f, 20000000);
  put(f, KERNEL_LOST, 30000000, 7, 0);
  in(f, 50000000);
  out(f, 60000000);
  in(f, 70000000);
  put_round(f, 80000000);
  finish(f, 100000000,
         "1 thread-begin\n60000000 enter blocked in the kernel\n70000000 leave blocked in the kernel\n"
         "100000000 thread-end\n");
  trace_test_property(&f->trace, "HEDDLE::SWITCHES_LOST", "7");
}

/* A thread that is asked late is in its next wait. */
static void a_late_answer_is_of_the_next_wait(void **state)
{
  struct fixture *f = *state;
  open_log(f, BOOT, SPACE);
  out(f, 20000000);
  in(f, 31000000);
  out(f, 32000000);
  put_round(f, 33000000);
  put(f, KERNEL_CALL, 34000000, WHO, SYS_read);
  in(f, 40000000);
  put_round(f, 50000000);
  finish(f, 100000000,
         "1 thread-begin\n20000000 enter blocked in the kernel\n31000000 leave blocked in the kernel\n"
         "32000000 enter blocked in read\n40000000 leave blocked in read\n100000000 thread-end\n");
}

static void put_name(struct fixture *f, uint64_t number, const char *text)
{
  char padded[KERNEL_NAME_MOST + sizeof(struct kernel_record)] = "";
  size_t length = strlen(text), size = sizeof(struct kernel_record);
  put(f, KERNEL_NAME, 0, number, (uint32_t)length);
  strcpy(padded, text);
  fwrite(padded, size, (length + size - 1) / size, f->log);
}

/* What the call is about is reported once, and then by its number. A text may fill its records or not. */
static void a_call_names_what_it_is_about(void **state)
{
  struct fixture *f = *state;
  open_log(f, BOOT, SPACE);
  out(f, 20000000);
  put_name(f, 1, "/a/path/of/24/characters");
  put(f, KERNEL_CALL, 31000000, WHO, SYS_read | 1u << KERNEL_NAME_AT);
  in(f, 40000000);
  out(f, 50000000);
  put_name(f, 2, "pipe");
  put(f, KERNEL_CALL, 61000000, WHO, SYS_write | 2u << KERNEL_NAME_AT);
  in(f, 62000000);
  out(f, 70000000);
  put(f, KERNEL_CALL, 81000000, WHO, SYS_read | 3u << KERNEL_NAME_AT); /* not reported */
  in(f, 82000000);
  put_round(f, 90000000);
  finish(f, 100000000,
         "1 thread-begin\n20000000 enter blocked in read (/a/path/of/24/characters)\n"
         "40000000 leave blocked in read (/a/path/of/24/characters)\n50000000 enter blocked in write (pipe)\n"
         "62000000 leave blocked in write (pipe)\n70000000 enter blocked in read\n82000000 leave blocked in read\n"
         "100000000 thread-end\n");
}

/* A processor runs a thread of the trace or none; what happened before a loss of its events is not known. */
static void a_processor_has_a_line(void **state)
{
  struct fixture *f = *state;
  open_log(f, BOOT, SPACE);
  put(f, KERNEL_IN, 10000000, WHO, 3);
  put(f, KERNEL_OUT, 20000000, WHO, 3);
  put(f, KERNEL_IN, 30000000, (uint64_t)1 << 32 | 101, 3); /* not recorded */
  put(f, KERNEL_IN, 40000000, WHO, 3);
  put(f, KERNEL_LOST, 50000000, 7, 3);
  put(f, KERNEL_OUT, 60000000, WHO, 3);
  put(f, KERNEL_IN, 70000000, WHO, 3);
  put_round(f, 120000000); /* the run has ended */
  put(f, KERNEL_OUT, 110000000, WHO, 3);
  put_round(f, 130000000);
  fclose(f->log);
  RAW0(f->thread, RAW_THREAD_END, 0, 0, 100000000);
  raw_thread_close(f->thread);
  trace_test_convert(&f->trace);
  trace_test_events(&f->trace, 1,
                    "10000000 enter OpenMP master\n20000000 leave OpenMP master\n20000000 enter no recorded thread\n"
                    "40000000 leave no recorded thread\n60000000 enter no recorded thread\n"
                    "70000000 leave no recorded thread\n70000000 enter OpenMP master\n100000000 leave OpenMP master\n");
}

/* A killed program was blocked to its end. */
static void the_last_one_may_have_no_end(void **state)
{
  struct fixture *f = *state;
  open_log(f, BOOT, SPACE);
  out(f, 400000);
  put_round(f, 900000);
  fclose(f->log);
  raw_thread_close(f->thread);
  trace_test_convert(&f->trace);
  trace_test_events(&f->trace, 0,
                    "1 thread-begin\n400000 enter blocked in the kernel\n1000000 leave blocked in the kernel\n"
                    "1000000 thread-end closed=ended\n");
}

/* ... but after a loss that is not known. */
static void the_last_one_may_be_lost(void **state)
{
  struct fixture *f = *state;
  open_log(f, BOOT, SPACE);
  out(f, 400000);
  put_round(f, 900000);
  put(f, KERNEL_LOST, 950000, 3, 0);
  fclose(f->log);
  raw_thread_close(f->thread);
  trace_test_convert(&f->trace);
  trace_test_events(&f->trace, 0, "1 thread-begin\n1000000 thread-end closed=ended\n");
}

static void logs_of_other_machines_are_not_used(void **state)
{
  struct fixture *f = *state;
  open_log(f, "other", SPACE);
  out(f, 20000000);
  in(f, 50000000);
  put_round(f, 60000000);
  finish(f, 100000000, "1 thread-begin\n100000000 thread-end\n");
}

static void ids_of_another_namespace_are_not_used(void **state)
{
  struct fixture *f = *state;
  open_log(f, BOOT, SPACE + 1);
  out(f, 20000000);
  in(f, 50000000);
  put_round(f, 60000000);
  finish(f, 100000000, "1 thread-begin\n100000000 thread-end\n");
}

/* More than are kept in memory at a time: none is lost where a part ends. */
static void there_may_be_many(void **state)
{
  struct fixture *f = *state;
  enum { MANY = 300000 };
  open_log(f, BOOT, SPACE);
  for (uint64_t i = 1; i <= MANY; i++) {
    out(f, 1000 * i);
    in(f, 1000 * i + 500);
    if (i % 2000 == 0)
      put_round(f, 1000 * i + 600);
  }
  RAW0(f->thread, RAW_MASKED_BEGIN, 0, 0, 1000 * MANY + 700);
  RAW0(f->thread, RAW_MASKED_END, 0, 0, 1000 * MANY + 800);
  fclose(f->log);
  RAW0(f->thread, RAW_THREAD_END, 0, 0, 1000 * MANY + 900);
  raw_thread_close(f->thread);
  trace_test_convert(&f->trace);
  trace_test_property(&f->trace, "HEDDLE::SWITCHES", "300000");
  char *events = archive_text(f->trace.anchor, 0);
  size_t enters = 0;
  for (const char *at = events; *at; at++)
    enters += at[0] == ' ' && at[1] == 'e' && at[2] == 'n'; /* strstr() would look for the end each time */
  free(events);
  assert_int_equal(enters, MANY + 1); /* and the construct */
}

/* Bytes that are anything: the reader ends, and hands out what is in order. */
static void damaged_logs_are_read_as_far_as_they_are_sound(void **state)
{
  struct fixture *f = *state;
  char path[256];
  unsigned char good[sizeof(struct kernel_log_header) + 40 * sizeof(struct kernel_record)], bad[sizeof good];
  open_log(f, BOOT, SPACE);
  for (uint64_t i = 1; i < 12; i++) {
    out(f, 1000000 * i);
    put_round(f, 1000000 * i + 500000);
  }
  fclose(f->log);
  raw_thread_close(f->thread);
  snprintf(path, sizeof path, "%s/kernel/h.9.log", f->trace.path);
  FILE *file = fopen(path, "r");
  size_t size = fread(good, 1, sizeof good, file);
  fclose(file);
  assert_true(size > 800);
  srandom(1);
  for (unsigned run = 0; run < 20000; run++) {
    struct kernel_log log;
    size_t cut = run % 3 == 0 ? (size_t)random() % size : size;
    memcpy(bad, good, size);
    for (long i = random() % 8; i > 0; i--)
      bad[(size_t)random() % size] = (unsigned char)random();
    file = fopen(path, "w");
    fwrite(bad, 1, cut, file);
    fclose(file);
    if (!kernel_log_open(&log, AT_FDCWD, path))
      continue;
    unsigned rounds = 0;
    while (kernel_log_round(&log)) {
      assert_true(++rounds < 64);
      for (const struct kernel_record *record; (record = kernel_log_peek(&log)) != NULL; log.next++)
        (void)kernel_log_moment(&log, record->time);
    }
    kernel_log_close(&log);
  }
}

UNIT_TEST(switches)
{
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
      TEST(they_lie_between_the_other_events),
      TEST(an_event_cuts_them),
      TEST(each_goes_to_whom_the_thread_was_then),
      TEST(a_loss_ends_what_is_known),
      TEST(a_late_answer_is_of_the_next_wait),
      TEST(a_processor_has_a_line),
      TEST(a_call_names_what_it_is_about),
      TEST(the_last_one_may_have_no_end),
      TEST(the_last_one_may_be_lost),
      TEST(logs_of_other_machines_are_not_used),
      TEST(ids_of_another_namespace_are_not_used),
      TEST(there_may_be_many),
      TEST(damaged_logs_are_read_as_far_as_they_are_sound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
