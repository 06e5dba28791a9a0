/* Readings of time without a processor: where they go between a thread's other events. */
#include "otf2-convert/timeline/record_details.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <stdlib.h>

struct fixture {
  struct trace_test trace;
  char *directory;
  struct raw_thread *threads[2];
};

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  trace_test_begin(&f->trace);
  f->directory = raw_write_process(f->trace.path, "h.1.1", RAW_PLAIN_PROCESS);
  for (unsigned i = 0; i < 2; i++) {
    f->threads[i] = raw_thread_open(f->directory, i, 65536, 0);
    RAW0(f->threads[i], RAW_THREAD_BEGIN, i == 0 ? THREAD_INITIAL : THREAD_WORKER, 100 + i, 1);
  }
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

static void reading(struct raw_thread *thread, uint64_t time, uint64_t since, uint64_t off, uint64_t ready)
{
  raw_put(thread, RAW_READING, 0, since, time, 2, (uint64_t[]){off, ready});
}

static void finish(struct fixture *f, uint64_t time, unsigned thread, const char *events)
{
  for (unsigned i = 0; i < 2; i++) {
    RAW0(f->threads[i], RAW_THREAD_END, 0, 0, time);
    raw_thread_close(f->threads[i]);
  }
  trace_test_convert(&f->trace);
  trace_test_events(&f->trace, thread, events);
}

/* The construct that ends at the time of a reading has ended when it comes; a later event comes after it. */
static void they_follow_what_ends(void **state)
{
  struct fixture *f = *state;
  RAW0(f->threads[0], RAW_MASKED_BEGIN, 0, 0, 10);
  reading(f->threads[0], 50, 45, 30, 20);
  RAW0(f->threads[0], RAW_MASKED_END, 0, 0, 50);
  reading(f->threads[0], 70, 20, 9, 10); /* more than it can be */
  RAW0(f->threads[0], RAW_MASKED_BEGIN, 0, 0, 80);
  RAW0(f->threads[0], RAW_MASKED_END, 0, 0, 90);
  finish(f, 100, 0,
         "1 thread-begin\n10 enter !$omp masked\n50 leave !$omp masked\n50 metric 30 20 45\n70 metric 9 9 20\n"
         "80 enter !$omp masked\n90 leave !$omp masked\n100 thread-end\n");
  trace_test_property(&f->trace, "HEDDLE::PROCESSOR_READINGS", "2");
}

/* Two of one moment are one; the last one is not lost, and one that reaches back behind time's begin is cut. */
static void several_add_up(void **state)
{
  struct fixture *f = *state;
  reading(f->threads[0], 50, 10, 3, 1);
  reading(f->threads[0], 50, RAW_VALUE_MASK, 4, 2);
  finish(f, 50, 0, "1 thread-begin\n50 thread-end\n50 metric 7 3 50\n");
}

/* A worker's end of a region's barrier is reported late: the reading waits for it, or it would be late, too. But one
 * that was made before the barrier keeps its time. */
static void late_ends_keep_their_time(void **state)
{
  struct fixture *f = *state;
  for (unsigned i = 0; i < 2; i++) {
    if (i == 0)
      RAW1(f->threads[i], RAW_PARALLEL_BEGIN, RAW_PARALLEL_RUNTIME, 0x1000, 10, 2ull << 48 | 1 << RAW_ID_BLOCK_SHIFT);
    RAW1(f->threads[i], RAW_IMPLICIT_BEGIN, 2, 1 << RAW_ID_BLOCK_SHIFT, 11, (uint64_t)i << 32 | 2);
    if (i == 1)
      reading(f->threads[i], 20, 8, 5, 5);
    RAW0(f->threads[i], RAW_BARRIER_BEGIN, SYNC_BARRIER_IMPLICIT_PARALLEL, 0x1000, 20);
  }
  RAW0(f->threads[0], RAW_BARRIER_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, 30);
  RAW0(f->threads[0], RAW_IMPLICIT_END, 2, 0, 30);
  RAW0(f->threads[0], RAW_PARALLEL_END, RAW_PARALLEL_RUNTIME, 1 << RAW_ID_BLOCK_SHIFT, 30);
  reading(f->threads[1], 90, 70, 60, 0);
  RAW0(f->threads[1], RAW_BARRIER_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, 90);
  RAW0(f->threads[1], RAW_IMPLICIT_END, 2, 0, 90);
  finish(f, 100, 1,
         "1 thread-begin\n11 team-begin 0\n11 enter !$omp parallel @0x1000\n20 enter !$omp implicit barrier @0x1000\n"
         "20 enter !$omp implicit barrier wait @0x1000\n20 metric 5 5 8\n20 leave !$omp implicit barrier wait "
         "@0x1000\n20 leave !$omp "
         "implicit barrier @0x1000\n"
         "20 leave !$omp parallel @0x1000\n20 team-end 0\n90 metric 60 0 70\n100 thread-end\n");
}

/* On libgomp, workers wait in the last barrier to the end: what was read before it is not of the barrier. */
static void waits_without_end_have_none(void **state)
{
  struct fixture *f = *state;
  reading(f->threads[0], 50, 45, 30, 20);
  RAW0(f->threads[0], RAW_MASKED_BEGIN, 0, 0, 50);
  raw_thread_close(f->threads[0]);
  RAW0(f->threads[1], RAW_THREAD_END, 0, 0, 100);
  raw_thread_close(f->threads[1]);
  trace_test_convert(&f->trace);
  trace_test_events(
      &f->trace, 0,
      "1 thread-begin\n50 enter !$omp masked\n50 metric 30 20 45\n1000000 leave !$omp masked closed=ended\n"
      "1000000 thread-end closed=ended\n");
}

UNIT_TEST(readings)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(they_follow_what_ends, set_up, tear_down),
      cmocka_unit_test_setup_teardown(several_add_up, set_up, tear_down),
      cmocka_unit_test_setup_teardown(waits_without_end_have_none, set_up, tear_down),
      cmocka_unit_test_setup_teardown(late_ends_keep_their_time, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
