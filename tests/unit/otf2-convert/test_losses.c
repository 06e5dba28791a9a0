/* The archive shows what could not be recorded: where recording stopped, how much is missing, and why. */
#include "otf2-convert/messages.h"
#include "otf2-convert/timeline/record_details.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <stdlib.h>

/* The process reached its size limit, and went on for long. */
#define LIMITED                                                                                                        \
  "host: testhost\npid: 1\nstart: 1\nexe: /bin/test\nclock: monotonic\nanchor: 0 0 0\n"                                \
  "limit: HEDDLE_MAX_SIZE reached\nended: 1000000 exit\n"

struct fixture {
  struct trace_test trace;
  char *directory;
};

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  trace_test_begin(&f->trace);
  f->directory = raw_write_process(f->trace.path, "h.1.1", LIMITED);
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

static void the_size_limit_ends_a_thread_early(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *a = raw_thread_open(f->directory, 0, 4096, 0), *b = raw_thread_open(f->directory, 1, 4096, 0);
  RAW0(a, RAW_THREAD_BEGIN, 1, 100, 1);
  RAW0(a, RAW_MASKED_BEGIN, 0, 0, 10);
  a->lost_after = 3; /* says nothing: recording went on after this chunk */
  raw_thread_flush(a);
  RAW1(a, RAW_WORK_BEGIN, WORK_LOOP_DYNAMIC, 0, 20, 10);
  RAW0(a, RAW_CHUNK, DISPATCH_LOOP_CHUNK, 5, 30);
  a->lost_after = 41;
  a->not_measured = 2;
  raw_thread_close(a);
  RAW0(b, RAW_THREAD_BEGIN, 2, 101, 2);
  RAW0(b, RAW_MASKED_BEGIN, 0, 0, 40);
  RAW0(b, RAW_MASKED_END, 0, 0, 50);
  RAW0(b, RAW_THREAD_END, 0, 0, 60);
  b->not_measured = 5;
  raw_thread_close(b);
  trace_test_convert(&f->trace);
  /* The limited thread's constructs end where its records do, though the process went on until 1000000. */
  trace_test_events(&f->trace, 0,
                    "1 thread-begin\n10 enter !$omp masked\n20 enter !$omp for\n"
                    "30 enter chunk first iteration=0 iterations=5\n30 measurement off\n30 leave chunk\n"
                    "30 leave !$omp for closed=lost\n30 leave !$omp masked closed=lost\n30 thread-end closed=lost\n");
  trace_test_events(&f->trace, 1, "2 thread-begin\n40 enter !$omp masked\n50 leave !$omp masked\n60 thread-end\n");
  trace_test_property(&f->trace, "HEDDLE::EVENTS_LOST", "41");
  trace_test_property(&f->trace, "HEDDLE::EVENTS_SKIPPED", "7");
  trace_test_property(&f->trace, "HEDDLE::ENDS_FORCED", "2");
  trace_test_property(&f->trace, "HEDDLE::LOST_REASON", "HEDDLE_MAX_SIZE reached");
  trace_test_definitions(&f->trace, "location-property",
                         "location-property 0 HEDDLE::THREAD_TYPE=initial\nlocation-property 0 HEDDLE::TID=100\n"
                         "location-property 0 HEDDLE::EVENTS_LOST=41\n"
                         "location-property 0 HEDDLE::EVENTS_SKIPPED=2\n"
                         "location-property 1 HEDDLE::THREAD_TYPE=worker\nlocation-property 1 HEDDLE::TID=101\n"
                         "location-property 1 HEDDLE::EVENTS_SKIPPED=5\n");
}

/* The last chunk is still in its window; the gap before it was counted in a record. */
static void losses_of_a_window_and_of_gaps_add_up(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = raw_thread_open(f->directory, 0, 4096, 0);
  RAW0(t, RAW_THREAD_BEGIN, 1, 100, 1);
  RAW1(t, RAW_GAP, RAW_GAP_DISK, 1000, 50, 20);
  RAW1(t, RAW_GAP, RAW_GAP_PAUSED, 7, 60, 55); /* the program asked for that: no loss */
  raw_thread_flush(t);
  raw_thread_lose(t);
  RAW0(t, RAW_MASKED_BEGIN, 0, 0, 80);
  t->lost_after = 24;
  raw_thread_leave(t, 0);
  raw_thread_close(t);
  trace_test_convert(&f->trace);
  trace_test_events(&f->trace, 0,
                    "1 thread-begin\n20 measurement off\n80 measurement on\n80 enter !$omp masked\n"
                    "80 measurement off\n80 leave !$omp masked closed=lost\n80 thread-end closed=lost\n");
  trace_test_property(&f->trace, "HEDDLE::EVENTS_LOST", "1024");
  trace_test_property(&f->trace, "HEDDLE::LOST_REASON", "HEDDLE_MAX_SIZE reached; 1 chunks missing");
}

/* A worker in a barrier that has ended has left it, also where what it did later was lost. */
static void the_size_limit_in_a_finished_barrier(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *a = raw_thread_open(f->directory, 0, 4096, 0), *b = raw_thread_open(f->directory, 1, 4096, 0);
  const uint64_t id = 1ull << RAW_ID_BLOCK_SHIFT;
  RAW0(a, RAW_ID_BLOCK_TAKEN, 0, 1, 1);
  RAW1(a, RAW_PARALLEL_BEGIN, RAW_PARALLEL_RUNTIME, 0, 10, 2ull << 48 | id);
  RAW1(a, RAW_IMPLICIT_BEGIN, 2, id, 11, 2);
  RAW0(a, RAW_WAIT_BEGIN, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, 30);
  a->lost_after = 4;
  RAW1(b, RAW_IMPLICIT_BEGIN, 2, id, 12, 1ull << 32 | 2);
  RAW0(b, RAW_WAIT_BEGIN, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, 20);
  b->lost_after = 3;
  raw_thread_close(a);
  raw_thread_close(b);
  trace_test_convert(&f->trace);
  trace_test_events(&f->trace, 0,
                    "10 enter !$omp parallel\n10 fork 2\n11 team-begin 0\n30 enter !$omp implicit barrier wait\n"
                    "30 measurement off\n30 leave !$omp implicit barrier wait closed=lost\n30 team-end 0\n30 join\n"
                    "30 leave !$omp parallel closed=lost\n");
  trace_test_events(&f->trace, 1,
                    "12 team-begin 0\n12 enter !$omp parallel\n20 enter !$omp implicit barrier wait\n"
                    "30 leave !$omp implicit barrier wait\n30 leave !$omp parallel\n30 team-end 0\n"
                    "30 measurement off\n");
  trace_test_property(&f->trace, "HEDDLE::EVENTS_LOST", "7");
}

/* What was open when recording stopped, and had ended when it went on, ends with the gap: no time behind it is theirs.
 */
static void what_ended_in_a_gap_ends_with_it(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = raw_thread_open(f->directory, 0, 4096, 0);
  RAW0(t, RAW_THREAD_BEGIN, 1, 100, 1);
  RAW0(t, RAW_MASKED_BEGIN, 0, 0, 10);
  RAW1(t, RAW_WORK_BEGIN, WORK_LOOP_DYNAMIC, 0, 20, 10);
  RAW1(t, RAW_GAP, RAW_GAP_LIMIT, 1000, 500, 30);
  RAW0(t, RAW_MASKED_END, 0, 0, 510);
  RAW0(t, RAW_THREAD_END, 0, 0, 520);
  raw_thread_close(t);
  trace_test_convert(&f->trace);
  trace_test_events(&f->trace, 0,
                    "1 thread-begin\n10 enter !$omp masked\n20 enter !$omp for\n30 measurement off\n"
                    "500 measurement on\n500 leave !$omp for closed=lost\n510 leave !$omp masked\n520 thread-end\n");
}

/* A region that ended in a gap does not contain regions behind it that are in no other, by the runtime's report. */
static void a_region_that_ended_in_a_gap(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = raw_thread_open(f->directory, 0, 4096, 0);
  const uint64_t id = 1ull << RAW_ID_BLOCK_SHIFT;
  RAW0(t, RAW_ID_BLOCK_TAKEN, 0, 1, 1);
  RAW0(t, RAW_MASKED_BEGIN, 0, 0, 5);
  RAW1(t, RAW_PARALLEL_BEGIN, RAW_PARALLEL_RUNTIME | RAW_PARALLEL_OUTER, 0, 10, 1ull << 48 | id);
  RAW1(t, RAW_IMPLICIT_BEGIN, 2, id, 11, 1);
  RAW1(t, RAW_GAP, RAW_GAP_PAUSED, 0, 500, 30);
  RAW0(t, RAW_PARALLEL_END, 0, id + 1, 510); /* began in the gap */
  RAW1(t, RAW_PARALLEL_BEGIN, RAW_PARALLEL_RUNTIME | RAW_PARALLEL_OUTER, 0, 530, 1ull << 48 | (id + 2));
  RAW0(t, RAW_PARALLEL_END, 0, id + 2, 540);
  RAW0(t, RAW_MASKED_END, 0, 0, 550);
  RAW0(t, RAW_THREAD_END, 0, 0, 560);
  raw_thread_close(t);
  trace_test_convert(&f->trace);
  trace_test_events(&f->trace, 0,
                    "5 enter !$omp masked\n10 enter !$omp parallel\n10 fork 1\n11 team-begin 0\n30 measurement off\n"
                    "500 measurement on\n500 team-end 0\n500 join\n500 leave !$omp parallel closed=lost\n"
                    "530 enter !$omp parallel\n"
                    "530 fork 1\n540 join\n540 leave !$omp parallel\n550 leave !$omp masked\n");
}

/* Measurement was switched off for good: nothing is lost, but the time is not the loop's. */
static void a_pause_that_does_not_end(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = raw_thread_open(f->directory, 0, 4096, 0);
  RAW0(t, RAW_THREAD_BEGIN, 1, 100, 1);
  RAW1(t, RAW_WORK_BEGIN, WORK_LOOP_DYNAMIC, 0, 20, 10);
  t->lost_after = RAW_PAUSED_AFTER;
  raw_thread_close(t);
  trace_test_convert(&f->trace);
  trace_test_events(&f->trace, 0,
                    "1 thread-begin\n20 enter !$omp for\n20 measurement off\n20 leave !$omp for closed=lost\n"
                    "20 thread-end closed=lost\n");
  trace_test_property(&f->trace, "HEDDLE::EVENTS_LOST", "0");
}

/* A thread with nothing left but the count of what it lost is no location, but counts. */
static void a_thread_without_records(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *a = raw_thread_open(f->directory, 0, 4096, 0), *b = raw_thread_open(f->directory, 1, 4096, 0);
  a->lost_after = 9;
  raw_thread_flush(a);
  raw_thread_close(a);
  RAW0(b, RAW_THREAD_BEGIN, 2, 101, 2);
  RAW0(b, RAW_THREAD_END, 0, 0, 60);
  raw_thread_close(b);
  trace_test_convert(&f->trace);
  trace_test_definitions(&f->trace, "location", "location 1 OpenMP thread 1 in 0\n");
  trace_test_property(&f->trace, "HEDDLE::EVENTS_LOST", "9");
}

UNIT_TEST(losses)
{
  message_set_quiet(true);
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
      TEST(the_size_limit_ends_a_thread_early),
      TEST(what_ended_in_a_gap_ends_with_it),
      TEST(a_region_that_ended_in_a_gap),
      TEST(a_pause_that_does_not_end),
      TEST(losses_of_a_window_and_of_gaps_add_up),
      TEST(the_size_limit_in_a_finished_barrier),
      TEST(a_thread_without_records),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
