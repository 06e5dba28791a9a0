/* One clock for processes of several hosts, boots and clocks. All numbers are chosen so that no division has a rest. */
#include "otf2-convert/messages.h"
#include "otf2-convert/timeline/record_details.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <stdlib.h>

#define NOON      1700000000000000000ull
#define NOON_TEXT "1700000000000000000"

/* A process with one thread, which must be closed. */
static struct raw_thread *process(const struct trace_test *trace, const char *name, const char *text)
{
  char *directory = raw_write_process(trace->path, name, text);
  struct raw_thread *thread = raw_thread_open(directory, 0, 4096, 0);
  free(directory);
  return thread;
}

/* Begins and ends a thread, with a masked construct in between. */
static void four_records(struct raw_thread *t, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
  RAW0(t, RAW_THREAD_BEGIN, 1, 100, a);
  RAW0(t, RAW_MASKED_BEGIN, 0, 0, b);
  RAW0(t, RAW_MASKED_END, 0, 0, c);
  RAW0(t, RAW_THREAD_END, 0, 0, d);
  raw_thread_close(t);
}

/* 2 GHz; its second anchor is one second after the first. */
#define PROCESS_A                                                                                                      \
  "host: alpha\npid: 1\nstart: 1\nexe: /bin/a\nboot-id: aaaa\nclock: tsc\n"                                            \
  "anchor: 1000000 5000000000 " NOON_TEXT "\nanchor: 2001000000 6000000000 1700000001000000000\n"                      \
  "ended: 2001000000 exit\n"
/* 4 GHz, begun half a second later by the clock on the wall. */
#define PROCESS_B                                                                                                      \
  "host: beta\npid: 2\nstart: 2\nexe: /bin/b\nboot-id: bbbb\nclock: tsc\n"                                             \
  "anchor: 8000000000 10070 1700000000500000000\nanchor: 10000000000 500010070 1700000001000000000\n"                  \
  "ended: 10000000000 exit\n"
/* The same machine as B, started anew, with nanoseconds. */
#define PROCESS_C                                                                                                      \
  "host: beta\npid: 3\nstart: 3\nexe: /bin/c\nboot-id: cccc\nclock: monotonic\n"                                       \
  "anchor: 9000 9000 1700000000250000000\nended: 1009000 exit\n"

static void several_hosts_meet_on_the_wall_clock(void **state)
{
  struct trace_test *trace = *state;
  four_records(process(trace, "alpha.1.1", PROCESS_A), 1000000, 1002000, 1004000, 2001000000);
  /* The first record was made 1000 ns before the anchor. */
  four_records(process(trace, "beta.2.2", PROCESS_B), 7999996000, 8000000004, 8000004000, 10000000000);
  four_records(process(trace, "beta.3.3", PROCESS_C), 9000, 9001, 9500, 1009000);
  trace_test_convert(trace);
  trace_test_events(trace, 0,
                    "1700000000000000000 thread-begin\n1700000000000001000 enter !$omp masked\n"
                    "1700000000000002000 leave !$omp masked\n1700000001000000000 thread-end\n");
  trace_test_events(trace, 1,
                    "1700000000499999000 thread-begin\n1700000000500000001 enter !$omp masked\n"
                    "1700000000500001000 leave !$omp masked\n1700000001000000000 thread-end\n");
  trace_test_events(trace, 2,
                    "1700000000250000000 thread-begin\n1700000000250000001 enter !$omp masked\n"
                    "1700000000250000500 leave !$omp masked\n1700000000251000000 thread-end\n");
  trace_test_definitions(trace, "clock", "clock 1000000000 " NOON_TEXT " 1000000000 " NOON_TEXT "\n");
  trace_test_definitions(trace, "node", "node 0 machine alpha in -\nnode 1 machine beta in -\n");
  trace_test_definitions(trace, "group", "group 0 a [1] on 0 of -\ngroup 1 b [2] on 1 of -\ngroup 2 c [3] on 1 of -\n");
  trace_test_definitions(trace, "location",
                         "location 0 OpenMP master in 0\nlocation 1 OpenMP master in 1\n"
                         "location 2 OpenMP master in 2\n");
}

/* What depends on other threads' times does so in the archive's time: the worker leaves when the master arrived. */
static void late_end_on_the_wall_clock(void **state)
{
  struct trace_test *trace = *state;
  four_records(process(trace, "alpha.1.1", PROCESS_A), 1000000, 1002000, 1004000, 2001000000);
  char *directory = raw_write_process(trace->path, "beta.2.2", PROCESS_B);
  struct raw_thread *master = raw_thread_open(directory, 0, 4096, 0), *worker = raw_thread_open(directory, 1, 4096, 0);
  const uint64_t zero = 8000000000, id = 1ull << RAW_ID_BLOCK_SHIFT;
  free(directory);
  RAW0(master, RAW_ID_BLOCK_TAKEN, 0, 1, zero);
  RAW1(master, RAW_PARALLEL_BEGIN, RAW_PARALLEL_RUNTIME, 0, zero + 400, 2ull << 48 | id);
  RAW1(master, RAW_IMPLICIT_BEGIN, 2, id, zero + 400, 2);
  RAW1(worker, RAW_IMPLICIT_BEGIN, 2, id, zero + 800, 1ull << 32 | 2);
  RAW0(worker, RAW_SYNC_BEGIN, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, zero + 1200);
  RAW0(worker, RAW_WAIT_BEGIN, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, zero + 1600);
  raw_thread_flush(worker);
  RAW0(master, RAW_WAIT_BEGIN, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, zero + 4000);
  RAW0(master, RAW_WAIT_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, zero + 4400);
  RAW0(master, RAW_IMPLICIT_END, 2, 0, zero + 4800);
  RAW0(master, RAW_PARALLEL_END, RAW_PARALLEL_RUNTIME, id, zero + 5200);
  RAW0(worker, RAW_WAIT_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, zero + 400000000);
  RAW0(worker, RAW_SYNC_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, zero + 400000004);
  RAW0(worker, RAW_IMPLICIT_END, 2, 0, zero + 400000008);
  raw_thread_close(master);
  raw_thread_close(worker);
  trace_test_convert(trace);
  trace_test_events(trace, 2,
                    "1700000000500000200 team-begin 0\n1700000000500000200 enter !$omp parallel\n"
                    "1700000000500000300 enter !$omp implicit barrier\n"
                    "1700000000500000400 enter !$omp implicit barrier wait\n"
                    "1700000000500001000 leave !$omp implicit barrier wait\n"
                    "1700000000500001000 leave !$omp implicit barrier\n1700000000500001000 leave !$omp parallel\n"
                    "1700000000500001000 team-end 0\n");
  trace_test_property(trace, "HEDDLE::ENDS_CORRECTED", "1");
}

static void processes_of_one_boot_share_a_map(void **state)
{
  struct trace_test *trace = *state;
  four_records(process(trace, "alpha.1.1", PROCESS_A), 1000000, 1002000, 1004000, 2001000000);
  four_records(process(trace, "alpha.4.4",
                       "host: alpha\npid: 4\nstart: 4\nexe: /bin/d\nboot-id: aaaa\nclock: tsc\n"
                       "anchor: 500000 4999750000 1\nanchor: 2600000 5000800000 1050001\nended: 2600000 exit\n"),
               500000, 500001, 500002, 2600000);
  trace_test_convert(trace);
  trace_test_events(trace, 0,
                    "5000000000 thread-begin\n5000001000 enter !$omp masked\n5000002000 leave !$omp masked\n"
                    "6000000000 thread-end\n");
  trace_test_events(trace, 1,
                    "4999750000 thread-begin\n4999750000 enter !$omp masked\n4999750001 leave !$omp masked\n"
                    "5000800000 thread-end\n");
  /* The first process' anchor has the wall clock: 500000 ticks before it are 250000 ns. */
  trace_test_definitions(trace, "clock", "clock 1000000000 4999750000 1000250000 1699999999999750000\n");
}

/* Ticks of the counter have the times of CLOCK_MONOTONIC, which other processes recorded at once. */
static void two_clocks_of_one_boot(void **state)
{
  struct trace_test *trace = *state;
  four_records(process(trace, "alpha.1.1", PROCESS_A), 1000000, 1002000, 1004000, 2001000000);
  four_records(process(trace, "alpha.4.4",
                       "host: alpha\npid: 4\nstart: 4\nexe: /bin/d\nboot-id: aaaa\nclock: monotonic\n"
                       "anchor: 4000000100 4000000100 1699999999000000100\nended: 4000000400 exit\n"),
               4000000100, 4000000200, 4000000300, 4000000400);
  trace_test_convert(trace);
  trace_test_events(trace, 1,
                    "4000000100 thread-begin\n4000000200 enter !$omp masked\n4000000300 leave !$omp masked\n"
                    "4000000400 thread-end\n");
  trace_test_definitions(trace, "clock", "clock 1000000000 4000000100 1999999900 1699999999000000100\n");
}

/* A process that was killed has one anchor; its chunks' headers have the others. */
static void killed_process_is_calibrated_by_its_chunks(void **state)
{
  struct trace_test *trace = *state;
  struct raw_thread *t = process(trace, "beta.2.2",
                                 "host: beta\npid: 2\nstart: 2\nexe: /bin/b\nboot-id: bbbb\nclock: tsc\n"
                                 "anchor: 8000000000 70 1700000000500000000\n");
  t->anchor_ns = 70;
  RAW0(t, RAW_THREAD_BEGIN, 1, 100, 8000000000);
  raw_thread_flush(t);
  t->anchor_ns = 2000000070;
  RAW0(t, RAW_MASKED_BEGIN, 0, 0, 14000000000); /* 6 * 10^9 ticks in two seconds */
  raw_thread_leave(t, 0);
  raw_thread_close(t);
  trace_test_convert(trace);
  trace_test_definitions(trace, "clock", "clock 1000000000 70 2000000000 1700000000500000000\n");
  trace_test_events(trace, 0,
                    "70 thread-begin\n2000000070 enter !$omp masked\n"
                    "2000000070 leave !$omp masked closed=killed\n2000000070 thread-end closed=killed\n");
}

/* The machine was suspended for an hour in the third second; its TSC went on, CLOCK_MONOTONIC did not. */
static void a_suspended_machine_does_not_change_durations(void **state)
{
  struct trace_test *trace = *state;
  struct raw_thread *t =
      process(trace, "beta.2.2",
              "host: beta\npid: 2\nstart: 2\nexe: /bin/b\nboot-id: bbbb\nclock: tsc\n"
              "anchor: 2000000000 1000000000 1700000000500000000 80\n"
              "anchor: 4000000000 2000000000 1700000001500000000 200\n"
              "anchor: 7206000000000 4000000000 1700003603500000000 90\n"
              "anchor: 7208000000000 5000000000 1700003604500000000 90\n"
              "anchor: 7210000000000 6000000000 1700003605500000000 90\nended: 7210000000000 exit\n");
  const uint64_t ticks[] = {2000000000, 4000000000, 7206000000000, 7208000000000};
  for (int i = 0; i < 4; i++) {
    RAW0(t, i == 0 ? RAW_THREAD_BEGIN : RAW_FLUSH, 1, 100, ticks[i]);
    raw_thread_flush(t);
  }
  RAW0(t, RAW_THREAD_END, 0, 0, 7210000000000);
  raw_thread_close(t);
  trace_test_convert(trace);
  trace_test_definitions(trace, "clock", "clock 1000000000 1000000000 5000000000 1700000000500000000\n");
  trace_test_property(trace, "HEDDLE::CLOCK_ANCHORS", "5");
  trace_test_property(trace, "HEDDLE::CLOCK_APART", "2000000000");
  trace_test_property(trace, "HEDDLE::CLOCK_WIDTH", "100");
  trace_test_property(trace, "HEDDLE::CLOCK_JUMPS", "1");
  trace_test_property(trace, "HEDDLE::CLOCK_JUMP", "2000000000:4000000000:3599000000000");
}

/* A clock that cannot be calibrated counts as nanoseconds; the others are not touched by that. */
static void clock_that_cannot_be_calibrated(void **state)
{
  struct trace_test *trace = *state;
  four_records(process(trace, "alpha.1.1", PROCESS_A), 1000000, 1002000, 1004000, 2001000000);
  four_records(process(trace, "beta.2.2",
                       "host: beta\npid: 2\nstart: 2\nexe: /bin/b\nboot-id: bbbb\nclock: tsc\n"
                       "anchor: 50 70 1700000000500000000\nended: 400 exit\n"),
               50, 60, 70, 400);
  trace_test_convert(trace);
  trace_test_events(trace, 0,
                    "1700000000000000000 thread-begin\n1700000000000001000 enter !$omp masked\n"
                    "1700000000000002000 leave !$omp masked\n1700000001000000000 thread-end\n");
  trace_test_events(trace, 1,
                    "1700000000500000000 thread-begin\n1700000000500000010 enter !$omp masked\n"
                    "1700000000500000020 leave !$omp masked\n1700000000500000350 thread-end\n");
}

/* Anchors that run backwards, stand still, or are as far apart as numbers go. */
static void impossible_anchors(void **state)
{
  struct trace_test *trace = *state;
  four_records(process(trace, "alpha.1.1", PROCESS_A), 1000000, 1002000, 1004000, 2001000000);
  four_records(process(trace, "beta.2.2",
                       "host: beta\npid: 2\nstart: 2\nboot-id: b\nclock: tsc\nanchor: 500 900 100\n"
                       "anchor: 400 800 90\nended: 18446744073709551615 exit\n"),
               50, 60, 70, 400);
  four_records(process(trace, "beta.3.3",
                       "host: beta\npid: 3\nstart: 3\nboot-id: c\nclock: tsc\n"
                       "anchor: 0 0 18446744073709551615\nanchor: 18446744073709551615 1 0\n"),
               0, 1, 1ull << 63, UINT64_MAX);
  four_records(process(trace, "beta.5.5", "host: beta\npid: 5\nstart: 5\nclock: tsc\nanchor:\nanchor: x y z\n"), 1, 2,
               3, 4);
  trace_test_convert(trace);
  trace_test_events(trace, 0,
                    "1700000000000000000 thread-begin\n1700000000000001000 enter !$omp masked\n"
                    "1700000000000002000 leave !$omp masked\n1700000001000000000 thread-end\n");
  /* Before the wall clock began is when it began. */
  trace_test_events(trace, 1, "0 thread-begin\n0 enter !$omp masked\n0 leave !$omp masked\n0 thread-end\n");
  trace_test_events(trace, 3, "1 thread-begin\n2 enter !$omp masked\n3 leave !$omp masked\n4 thread-end\n");
}

UNIT_TEST(clocks)
{
  message_set_quiet(true);
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, trace_test_set_up, trace_test_tear_down)
      TEST(several_hosts_meet_on_the_wall_clock),
      TEST(late_end_on_the_wall_clock),
      TEST(processes_of_one_boot_share_a_map),
      TEST(two_clocks_of_one_boot),
      TEST(killed_process_is_calibrated_by_its_chunks),
      TEST(a_suspended_machine_does_not_change_durations),
      TEST(clock_that_cannot_be_calibrated),
      TEST(impossible_anchors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
