/* What the converter makes of a thread's records, event by event. Ticks are nanoseconds; regions have no place. */
#include "otf2-convert/messages.h"
#include "otf2-convert/timeline/record_details.h"
#include "tests/unit/otf2-convert/archive_text.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <stdlib.h>
#include <string.h>

struct fixture {
  struct trace_test trace;
  struct raw_thread *threads[4];
};

#define ID(n) ((1ull << RAW_ID_BLOCK_SHIFT) + (n))

static int set_up_with(void **state, const char *process)
{
  struct fixture *f = calloc(1, sizeof *f);
  trace_test_begin(&f->trace);
  char *directory = raw_write_process(f->trace.path, "h.1.1", process);
  for (uint32_t i = 0; i < 4; i++)
    f->threads[i] = raw_thread_open(directory, i, 4096, 0);
  free(directory);
  *state = f;
  return 0;
}

static int set_up(void **state)
{
  return set_up_with(state, RAW_PLAIN_PROCESS);
}

static int set_up_killed(void **state)
{
  return set_up_with(state, "host: testhost\npid: 1\nstart: 1\nexe: /bin/test\nclock: monotonic\nanchor: 0 0 0\n");
}

static int tear_down(void **state)
{
  struct fixture *f = *state;
  trace_test_end(&f->trace);
  free(f);
  return 0;
}

static void run(struct fixture *f)
{
  for (int i = 0; i < 4; i++)
    raw_thread_close(f->threads[i]);
  trace_test_convert(&f->trace);
}

static void expect(const struct fixture *f, uint64_t location, const char *events)
{
  trace_test_events(&f->trace, location, events);
}

static void expect_property(const struct fixture *f, const char *name, const char *value)
{
  trace_test_property(&f->trace, name, value);
}

/* Two threads in a region; the worker arrives at 20, the master at 30, and the worker hears of the end at `heard`. */
static void region_of_two(struct fixture *f, unsigned barrier, uint64_t heard)
{
  struct raw_thread *master = f->threads[0], *worker = f->threads[1];
  RAW0(master, RAW_THREAD_BEGIN, 1, 100, 1);
  RAW1(master, RAW_IMPLICIT_BEGIN, 1, 0, 1, 1ull << 32 | 1);
  RAW0(master, RAW_ID_BLOCK_TAKEN, 0, 1, 1);
  RAW1(master, RAW_PARALLEL_BEGIN, RAW_PARALLEL_RUNTIME, 0, 10, 2ull << 48 | ID(0));
  RAW1(master, RAW_IMPLICIT_BEGIN, 2, ID(0), 11, 2);
  RAW0(worker, RAW_THREAD_BEGIN, 2, 101, 2);
  RAW1(worker, RAW_IMPLICIT_BEGIN, 2, ID(0), 12, 1ull << 32 | 2);
  RAW0(worker, RAW_SYNC_BEGIN, barrier, 0, 20);
  RAW0(worker, RAW_WAIT_BEGIN, barrier, 0, 20);
  RAW0(master, RAW_SYNC_BEGIN, barrier, 0, 30);
  RAW0(master, RAW_WAIT_BEGIN, barrier, 0, 30);
  RAW0(master, RAW_WAIT_END, barrier, 0, 33);
  RAW0(master, RAW_SYNC_END, barrier, 0, 34);
  RAW0(master, RAW_IMPLICIT_END, 2, 0, 35);
  RAW0(master, RAW_PARALLEL_END, RAW_PARALLEL_RUNTIME, ID(0), 36);
  if (heard == 0)
    return;
  RAW0(worker, RAW_WAIT_END, barrier, 0, heard);
  RAW0(worker, RAW_SYNC_END, barrier, 0, heard + 1);
  RAW0(worker, RAW_IMPLICIT_END, 2, 0, heard + 2);
}

#define WORKER_OF_TWO                                                                                                  \
  "2 thread-begin\n12 team-begin 0\n12 enter !$omp parallel\n20 enter !$omp implicit barrier\n"                        \
  "20 enter !$omp implicit barrier wait\n30 leave !$omp implicit barrier wait\n30 leave !$omp implicit barrier\n"      \
  "30 leave !$omp parallel\n30 team-end 0\n"

static void late_ends_are_corrected(void **state)
{
  struct fixture *f = *state;
  region_of_two(f, SYNC_BARRIER_IMPLICIT_PARALLEL, 5000);
  RAW0(f->threads[1], RAW_THREAD_END, 0, 0, 5010);
  RAW0(f->threads[0], RAW_IMPLICIT_END, 1, 0, 5001);
  RAW0(f->threads[0], RAW_THREAD_END, 0, 0, 5001);
  run(f);
  expect(f, 1, WORKER_OF_TWO "5010 thread-end\n");
  expect(f, 0,
         "1 thread-begin\n10 enter !$omp parallel\n10 fork 2\n11 team-begin 0\n30 enter !$omp implicit barrier\n"
         "30 enter !$omp implicit barrier wait\n33 leave !$omp implicit barrier wait\n"
         "34 leave !$omp implicit barrier\n35 team-end 0\n36 join\n36 leave !$omp parallel\n5001 thread-end\n");
  expect_property(f, "HEDDLE::ENDS_CORRECTED", "1");
  expect_property(f, "HEDDLE::ENDS_FORCED", "0");
}

/* Old runtimes give the last barrier no kind of its own; only the end of the implicit task after it shows which it is.
 */
static void late_ends_of_old_runtimes(void **state)
{
  struct fixture *f = *state;
  region_of_two(f, SYNC_BARRIER_IMPLICIT, 5000);
  RAW0(f->threads[1], RAW_THREAD_END, 0, 0, 5010);
  run(f);
  expect(f, 1, WORKER_OF_TWO "5010 thread-end\n");
}

/* The tool's own stall at the late end lies outside of the region. */
static void stall_before_a_late_end(void **state)
{
  struct fixture *f = *state;
  region_of_two(f, SYNC_BARRIER_IMPLICIT_PARALLEL, 0);
  RAW1(f->threads[1], RAW_STALL, 0, 0, 4000, 3900);
  RAW0(f->threads[1], RAW_WAIT_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, 4000);
  RAW0(f->threads[1], RAW_SYNC_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, 4001);
  RAW0(f->threads[1], RAW_IMPLICIT_END, 2, 0, 4002);
  RAW0(f->threads[1], RAW_THREAD_END, 0, 0, 5010);
  run(f);
  expect(f, 1, WORKER_OF_TWO "3900 enter TRACEFLUSH\n4000 leave TRACEFLUSH\n5010 thread-end\n");
}

static void task_in_the_last_barrier(void **state)
{
  struct fixture *f = *state;
  region_of_two(f, SYNC_BARRIER_IMPLICIT_PARALLEL, 0);
  RAW0(f->threads[1], RAW_TASK_SWITCH, TASK_STATUS_SWITCH, ID(7), 31);
  RAW0(f->threads[1], RAW_TASK_SWITCH, TASK_STATUS_COMPLETE, RAW_ID_IMPLICIT, 60);
  RAW0(f->threads[1], RAW_WAIT_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, 4000);
  RAW0(f->threads[1], RAW_SYNC_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, 4001);
  RAW0(f->threads[1], RAW_IMPLICIT_END, 2, 0, 4002);
  RAW1(f->threads[0], RAW_TASK_CREATE, RAW_TASK_EXPLICIT, 0, 40, ID(7));
  RAW0(f->threads[1], RAW_THREAD_END, 0, 0, 5010);
  run(f);
  char *text = archive_text(f->trace.anchor, 1);
  assert_non_null(strstr(text, "31 enter !$omp task\n60 leave !$omp task\n60 task-complete"));
  assert_non_null(strstr(text, "60 leave !$omp implicit barrier wait\n60 leave !$omp implicit barrier\n"
                               "60 leave !$omp parallel\n60 team-end 0\n5010 thread-end\n"));
  free(text);
}

/* A worker whose region has ended waits no longer, even if the runtime did not report this before the kill. */
static void killed_after_a_region(void **state)
{
  struct fixture *f = *state;
  region_of_two(f, SYNC_BARRIER_IMPLICIT_PARALLEL, 0);
  RAW1(f->threads[0], RAW_WORK_BEGIN, WORK_SECTIONS, 0, 900, 3);
  raw_thread_leave(f->threads[0], 0);
  raw_thread_leave(f->threads[1], 1);
  run(f);
  expect(f, 1, WORKER_OF_TWO "900 thread-end closed=killed\n");
  char *text = archive_text(f->trace.anchor, 0);
  assert_non_null(
      strstr(text, "900 enter !$omp sections\n900 leave !$omp sections closed=killed\n900 thread-end closed=killed\n"));
  free(text);
}

/* schedule(static, 2) over 100 iterations on 2 threads: 25 chunks for each, and the first is reported. */
static void chunks_are_derived(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[1];
  RAW1(t, RAW_IMPLICIT_BEGIN, 2, ID(0), 10, 1ull << 32 | 2);
  RAW1(t, RAW_WORK_BEGIN, WORK_LOOP_STATIC, 0, 10, 100);
  RAW0(t, RAW_CHUNK, DISPATCH_LOOP_CHUNK, 2ull << 16 | 2, 11);
  RAW0(t, RAW_WORK_END, WORK_LOOP_STATIC, 0, 20);
  RAW0(t, RAW_IMPLICIT_END, 2, 0, 20);
  run(f);
  char *text = archive_text(f->trace.anchor, 0);
  assert_non_null(strstr(text, "11 enter chunk first iteration=2 iterations=2\n20 leave chunk\n"
                               "20 enter chunk first iteration=6 iterations=2 derived=1\n20 leave chunk\n"
                               "20 enter chunk first iteration=10 iterations=2 derived=1\n"));
  assert_non_null(strstr(text, "20 enter chunk first iteration=62 iterations=2 derived=1\n20 leave chunk\n"
                               "20 enter chunk first iteration=66 iterations=18 derived=1 chunks=9\n20 leave chunk\n"
                               "20 leave !$omp for\n"));
  free(text);
  expect_property(f, "HEDDLE::CHUNKS_DERIVED", "24");
}

/* One block a thread, and the last chunk of a schedule(static, 3) loop over 10 iterations on 4 threads: nothing
 * follows. */
static void no_chunk_is_invented(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[3];
  RAW1(t, RAW_IMPLICIT_BEGIN, 2, ID(0), 10, 3ull << 32 | 4);
  RAW1(t, RAW_WORK_BEGIN, WORK_LOOP_STATIC, 0, 10, 10);
  RAW0(t, RAW_CHUNK, DISPATCH_LOOP_CHUNK, 8ull << 16 | 2, 11);
  RAW0(t, RAW_WORK_END, WORK_LOOP_STATIC, 0, 20);
  RAW1(t, RAW_WORK_BEGIN, WORK_LOOP_STATIC, 0, 30, 10);
  RAW0(t, RAW_CHUNK, DISPATCH_LOOP_CHUNK, 9ull << 16 | 1, 31);
  RAW0(t, RAW_WORK_END, WORK_LOOP_STATIC, 0, 40);
  RAW0(t, RAW_IMPLICIT_END, 2, 0, 40);
  run(f);
  expect_property(f, "HEDDLE::CHUNKS_DERIVED", "0");
}

static void locks_and_their_turns(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *a = f->threads[0], *b = f->threads[1];
  RAW1(a, RAW_LOCK_INIT, MUTEX_LOCK, 0x500, 1, 0);
  RAW1(a, RAW_MUTEX_ACQUIRE, MUTEX_LOCK, 0x500, 2, 0);
  RAW0(a, RAW_MUTEX_ACQUIRED, MUTEX_LOCK, 0x500, 3);
  RAW1(b, RAW_MUTEX_ACQUIRE, MUTEX_TEST_LOCK, 0x500, 4, 0); /* fails */
  RAW1(b, RAW_MUTEX_ACQUIRE, MUTEX_LOCK, 0x500, 5, 0);
  RAW0(a, RAW_MUTEX_RELEASED, MUTEX_LOCK, 0x500, 6);
  RAW0(b, RAW_MUTEX_ACQUIRED, MUTEX_LOCK, 0x500, 7);
  RAW0(b, RAW_MUTEX_RELEASED, MUTEX_LOCK, 0x500, 8);
  RAW0(a, RAW_LOCK_DESTROY, MUTEX_LOCK, 0x500, 9);
  RAW1(a, RAW_LOCK_INIT, MUTEX_LOCK, 0x500, 10, 0); /* another lock in the same place */
  RAW1(a, RAW_MUTEX_ACQUIRE, MUTEX_TEST_LOCK, 0x500, 11, 0);
  RAW0(a, RAW_MUTEX_ACQUIRED, MUTEX_TEST_LOCK, 0x500, 12);
  RAW0(a, RAW_MUTEX_RELEASED, MUTEX_LOCK, 0x500, 13);
  run(f);
  expect(f, 0,
         "2 enter omp_set_lock\n3 leave omp_set_lock\n3 acquire 0 1\n6 release 0 1\n"
         "11 enter omp_test_lock\n12 leave omp_test_lock\n12 acquire 1 1\n13 release 1 1\n");
  expect(f, 1,
         "4 enter omp_test_lock\n4 leave omp_test_lock\n5 enter omp_set_lock\n7 leave omp_set_lock\n"
         "7 acquire 0 2\n8 release 0 2\n");
}

static void lost_chunk(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  RAW0(t, RAW_MASKED_BEGIN, 0, 0, 1);
  RAW1(t, RAW_WORK_BEGIN, WORK_SECTIONS, 0, 2, 1);
  raw_thread_flush(t);
  raw_thread_lose(t);
  RAW0(t, RAW_REDUCTION_END, 0, 0, 50); /* its begin was lost */
  RAW0(t, RAW_MASKED_END, 0, 0, 60);    /* so the end of the sections was lost */
  run(f);
  expect(f, 0,
         "1 enter !$omp masked\n2 enter !$omp sections\n2 measurement off\n50 measurement on\n"
         "60 leave !$omp sections closed=lost\n60 leave !$omp masked\n");
  expect_property(f, "HEDDLE::ENDS_UNMATCHED", "1");
  expect_property(f, "HEDDLE::ENDS_FORCED", "1");
  expect_property(f, "HEDDLE::LOST_REASON", "1 chunks missing");
}

/* Records that report the time before the thread's first one are cut: the run has not begun there. */
static void nothing_is_before_the_first_record(void **state)
{
  struct fixture *f = *state;
  RAW1(f->threads[0], RAW_STALL, 0, 0, 50, 10);
  raw_put(f->threads[1], RAW_THREAD_NAME, 0, 0, 60, 2, (uint64_t[]){'x', 0});
  RAW1(f->threads[1], RAW_GAP, RAW_GAP_DISK, 3, 70, 20);
  RAW0(f->threads[1], RAW_MASKED_END, 0, 0, 80);
  run(f);
  expect(f, 0, "50 enter TRACEFLUSH\n50 leave TRACEFLUSH\n");
  expect(f, 1, "60 measurement off\n70 measurement on\n");
}

/* A cancelled loop has no end: the barrier behind it shows that it has ended. */
static void cancelled_loop(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  RAW1(t, RAW_WORK_BEGIN, WORK_LOOP_DYNAMIC, 0, 1, 10);
  RAW0(t, RAW_CHUNK, DISPATCH_LOOP_CHUNK, 1, 2);
  RAW0(t, RAW_CANCEL, CANCEL_LOOP | CANCEL_ACTIVATED, 0, 3);
  RAW0(t, RAW_SYNC_BEGIN, SYNC_BARRIER_IMPLICIT_WORKSHARE, 0, 4);
  RAW0(t, RAW_SYNC_END, SYNC_BARRIER_IMPLICIT_WORKSHARE, 0, 5);
  run(f);
  expect(f, 0,
         "1 enter !$omp for\n2 enter chunk first iteration=0 iterations=1\n3 enter !$omp cancel cancel=loop\n"
         "3 leave !$omp cancel\n4 leave chunk\n4 leave !$omp for closed=cancelled\n4 enter !$omp implicit barrier\n"
         "5 leave !$omp implicit barrier\n");
}

/* Deeper than what is shown: ends still match their begins. */
static void too_deep(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  for (uint64_t i = 0; i < 20000; i++)
    RAW0(t, RAW_MASKED_BEGIN, 0, 0, i);
  for (uint64_t i = 0; i < 20000; i++)
    RAW0(t, RAW_MASKED_END, 0, 0, 20000 + i);
  run(f);
  expect_property(f, "HEDDLE::ENDS_FORCED", "0");
  expect_property(f, "HEDDLE::ENDS_UNMATCHED", "0");
}

/* A region whose place the runtime did not report is none of the region that it is in. */
static void region_without_a_place(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  RAW0(t, RAW_THREAD_BEGIN, 1, 100, 1);
  RAW0(t, RAW_ID_BLOCK_TAKEN, 0, 1, 1);
  RAW1(t, RAW_PARALLEL_BEGIN, RAW_PARALLEL_RUNTIME, 0x1000, 10, 1ull << 48 | ID(0));
  RAW1(t, RAW_IMPLICIT_BEGIN, 2, ID(0), 11, 1);
  RAW1(t, RAW_PARALLEL_BEGIN, RAW_PARALLEL_RUNTIME, 0, 20, 1ull << 48 | ID(1));
  RAW0(t, RAW_PARALLEL_END, RAW_PARALLEL_RUNTIME, ID(1), 30);
  RAW0(t, RAW_IMPLICIT_END, 2, 0, 35);
  RAW0(t, RAW_PARALLEL_END, RAW_PARALLEL_RUNTIME, ID(0), 36);
  RAW0(t, RAW_THREAD_END, 0, 0, 40);
  run(f);
  expect(f, 0,
         "1 thread-begin\n10 enter !$omp parallel @0x1000\n10 fork 1\n11 team-begin 0\n20 enter !$omp parallel\n"
         "20 fork 1\n30 join\n30 leave !$omp parallel\n35 team-end 0\n36 join\n36 leave !$omp parallel @0x1000\n"
         "40 thread-end\n");
}

UNIT_TEST(timeline)
{
  message_set_quiet(true);
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
      TEST(late_ends_are_corrected),
      TEST(late_ends_of_old_runtimes),
      TEST(stall_before_a_late_end),
      TEST(task_in_the_last_barrier),
      TEST(region_without_a_place),
      cmocka_unit_test_setup_teardown(killed_after_a_region, set_up_killed, tear_down),
      TEST(chunks_are_derived),
      TEST(no_chunk_is_invented),
      TEST(locks_and_their_turns),
      TEST(lost_chunk),
      TEST(nothing_is_before_the_first_record),
      TEST(cancelled_loop),
      TEST(too_deep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
