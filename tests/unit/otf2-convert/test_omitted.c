/* Instances that were not recorded: what the archive says of them, and what a broken trace can say. */
#include "otf2-convert/timeline/record_details.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <stdio.h>
#include <stdlib.h>

struct fixture {
  struct trace_test trace;
  char *directory;
  struct raw_thread *thread;
};

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  trace_test_begin(&f->trace);
  f->directory = raw_write_process(f->trace.path, "h.1.1", RAW_PLAIN_PROCESS);
  f->thread = raw_thread_open(f->directory, 0, 65536, 0);
  RAW0(f->thread, RAW_THREAD_BEGIN, 1, 100, 1);
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

static void put_omitted(struct fixture *f, unsigned detail, uint64_t end, uint64_t begin, uint64_t instances,
                        uint64_t time, uint64_t chunks)
{
  raw_put(f->thread, RAW_OMITTED, detail, 0, end, 4, (uint64_t[]){begin, instances, time, chunks});
}

static void finish(struct fixture *f, uint64_t time, const char *events)
{
  RAW0(f->thread, RAW_THREAD_END, 0, 0, time);
  raw_thread_close(f->thread);
  trace_test_convert(&f->trace);
  trace_test_events(&f->trace, 0, events);
}

static void records_in_a_row_are_one_stretch(void **state)
{
  struct fixture *f = *state;
  put_omitted(f, WORK_LOOP_DYNAMIC | RAW_OMITTED_INSIDE, 48, 12, 5, 20, 17);
  put_omitted(f, 0, 50, 10, 4, 30, 0);
  RAW0(f->thread, RAW_MASKED_BEGIN, 0, 0, 60);
  put_omitted(f, RAW_OMITTED_MEMBER, 80, 70, 3, 10, 0);
  RAW0(f->thread, RAW_MASKED_END, 0, 0, 90);
  finish(f, 100,
         "1 thread-begin\n10 enter skipped time=30\n"
         "10 enter skipped instances construct=!$omp for instances=5 time=20 chunks=17 inside=1\n"
         "10 leave skipped instances\n"
         "10 enter skipped instances construct=!$omp parallel instances=4 time=30\n10 leave skipped instances\n"
         "50 leave skipped\n60 enter !$omp masked\n70 enter skipped time=10\n"
         "70 enter skipped instances construct=!$omp parallel joined=3 time=10\n70 leave skipped instances\n"
         "80 leave skipped\n90 leave !$omp masked\n100 thread-end\n");
  trace_test_property(&f->trace, "HEDDLE::INSTANCES_SKIPPED", "9");
}

static void the_last_stretch_is_there(void **state)
{
  struct fixture *f = *state;
  put_omitted(f, 0, 50, 10, 4, 40, 0);
  raw_thread_close(f->thread);
  trace_test_convert(&f->trace);
  trace_test_events(&f->trace, 0,
                    "1 thread-begin\n10 enter skipped time=40\n"
                    "10 enter skipped instances construct=!$omp parallel instances=4 time=40\n"
                    "10 leave skipped instances\n50 leave skipped\n1000000 thread-end closed=ended\n");
}

static void absurd_times_stay_inside_the_stretch(void **state)
{
  struct fixture *f = *state;
  put_omitted(f, 0, 50, 1ull << 62, 4, UINT64_MAX, 0);
  RAW0(f->thread, RAW_MASKED_BEGIN, 0, 0, 60);
  RAW0(f->thread, RAW_MASKED_END, 0, 0, 70);
  put_omitted(f, 0, 80, 5, (1ull << 48) - 1, 1ull << 40, 0);
  finish(f, 90,
         "1 thread-begin\n50 enter skipped time=0\n"
         "50 enter skipped instances construct=!$omp parallel instances=4 time=0\n50 leave skipped instances\n"
         "50 leave skipped\n60 enter !$omp masked\n70 leave !$omp masked\n70 enter skipped time=10\n"
         "70 enter skipped instances construct=!$omp parallel instances=281474976710655 time=75\n"
         "70 leave skipped instances\n80 leave skipped\n90 thread-end\n");
}

/* So many instances; the last ones are untimed. */
#define ENDED(all, untimed) ((untimed) * RAW_OMITTED_UNTIMED + (all))

static void untimed_instances_last_until_the_next_record(void **state)
{
  struct fixture *f = *state;
  put_omitted(f, WORK_LOOP_DYNAMIC | RAW_OMITTED_INSIDE, 48, 12, 5, 20, 17);
  put_omitted(f, 0, 50, 10, ENDED(4, 3), 30, 0);
  RAW0(f->thread, RAW_MASKED_BEGIN, 0, 0, 60);
  RAW0(f->thread, RAW_MASKED_END, 0, 0, 70);
  put_omitted(f, 0, 80, 75, ENDED(2, 1), 5, 0);
  RAW1(f->thread, RAW_STALL, 0, 0, 99, 90);
  finish(f, 100,
         "1 thread-begin\n10 enter skipped time=40\n"
         "10 enter skipped instances construct=!$omp for instances=5 time=20 chunks=17 inside=1\n"
         "10 leave skipped instances\n"
         "10 enter skipped instances construct=!$omp parallel instances=4 time=40\n10 leave skipped instances\n"
         "60 leave skipped\n60 enter !$omp masked\n70 leave !$omp masked\n75 enter skipped time=15\n"
         "75 enter skipped instances construct=!$omp parallel instances=2 time=15\n75 leave skipped instances\n"
         "90 leave skipped\n90 enter TRACEFLUSH\n99 leave TRACEFLUSH\n100 thread-end\n");
}

static void untimed_instances_do_not_take_what_follows_them(void **state)
{
  struct fixture *f = *state;
  put_omitted(f, 0, 50, 10, ENDED(4, 3), 30, 0);
  put_omitted(f, RAW_OMITTED_MEMBER, 60, 55, ENDED(2, 1), 0, 0);
  finish(f, 900000,
         "1 thread-begin\n10 enter skipped time=8030\n"
         "10 enter skipped instances construct=!$omp parallel instances=4 time=6030\n10 leave skipped instances\n"
         "10 enter skipped instances construct=!$omp parallel joined=2 time=2000\n10 leave skipped instances\n"
         "8060 leave skipped\n900000 thread-end\n");
}

static void more_constructs_than_are_kept_are_all_told(void **state)
{
  struct fixture *f = *state;
  for (unsigned i = 0; i < 200; i++)
    put_omitted(f, 0, 20 + i, 10 + i, 1, 1, 0);
  RAW0(f->thread, RAW_THREAD_END, 0, 0, 300);
  raw_thread_close(f->thread);
  trace_test_convert(&f->trace);
  trace_test_property(&f->trace, "HEDDLE::INSTANCES_SKIPPED", "200");
}

static void several_chunks_are_one(void **state)
{
  struct fixture *f = *state;
  RAW1(f->thread, RAW_WORK_BEGIN, WORK_LOOP_DYNAMIC, 0, 20, 10);
  RAW0(f->thread, RAW_CHUNK, DISPATCH_LOOP_CHUNK, 5ull << 16 | 2, 30);
  raw_put(f->thread, RAW_CHUNKS, DISPATCH_LOOP_CHUNK, 0, 40, 3, (uint64_t[]){7, 6, 3});
  RAW0(f->thread, RAW_WORK_END, WORK_LOOP_DYNAMIC, 0, 50);
  finish(f, 60,
         "1 thread-begin\n20 enter !$omp for\n30 enter chunk first iteration=5 iterations=2\n40 leave chunk\n"
         "40 enter chunk first iteration=7 iterations=6 chunks=3\n50 leave chunk\n50 leave !$omp for\n60 thread-end\n");
  trace_test_property(&f->trace, "HEDDLE::CHUNKS_SUMMED", "3");
}

/* A record takes one tick here, and a call of the tool without a record a quarter. */
static void calls_without_a_record_cost_a_quarter_of_one(void **state)
{
  (void)state;
  static const char *const runtimes[] = {"LLVM OMP version: 5", "GNU libgomp 12"};
  for (int gomp = 0; gomp < 2; gomp++) {
    struct trace_test trace;
    char text[256], expected[256];
    trace_test_begin(&trace);
    snprintf(text, sizeof text, "%sruntime: %s\nrecord-ticks: 256\n", RAW_PLAIN_PROCESS, runtimes[gomp]);
    char *directory = raw_write_process(trace.path, "h.1.1", text);
    struct raw_thread *thread = raw_thread_open(directory, 0, 65536, 0);
    RAW0(thread, RAW_THREAD_BEGIN, 1, 100, 1);
    raw_put(thread, RAW_OMITTED, WORK_LOOP_DYNAMIC, 0, 48, 4, (uint64_t[]){12, 8, 20, 40});
    raw_put(thread, RAW_COUNTED, RAW_MUTEX_ACQUIRE, 0x10, 60, 1, (uint64_t[]){400});
    RAW0(thread, RAW_THREAD_END, 0, 0, 100);
    raw_thread_close(thread);
    free(directory);
    trace_test_convert(&trace);
    unsigned calls = 8 * 2 + 40 + 400 * (gomp ? 1 : 3);
    snprintf(expected, sizeof expected,
             "location-property 0 HEDDLE::THREAD_TYPE=initial\nlocation-property 0 HEDDLE::TID=100\n"
             "location-property 0 HEDDLE::RECORDS=4\nlocation-property 0 HEDDLE::RECORDING_TICKS=%u\n",
             4 + calls / 4);
    trace_test_definitions(&trace, "location-property", expected);
    trace_test_end(&trace);
  }
}

UNIT_TEST(omitted)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(records_in_a_row_are_one_stretch),
      TEST(the_last_stretch_is_there),
      TEST(absurd_times_stay_inside_the_stretch),
      TEST(untimed_instances_last_until_the_next_record),
      TEST(untimed_instances_do_not_take_what_follows_them),
      TEST(more_constructs_than_are_kept_are_all_told),
      TEST(several_chunks_are_one),
      cmocka_unit_test(calls_without_a_record_cost_a_quarter_of_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
