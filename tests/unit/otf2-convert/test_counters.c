/* Counters of threads: where their readings go between other events, and how the archive defines them. */
#include "common/recorder/counters.h"
#include "otf2-convert/scan/counters.h"
#include "otf2-convert/timeline/record_details.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <stdlib.h>

_Static_assert(COUNTER_NAMES_MOST == COUNTERS_MOST, "both sides know as many");

struct fixture {
  struct trace_test trace;
  char *directory;
  struct raw_thread *threads[2];
};

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  trace_test_begin(&f->trace);
  f->directory = raw_write_process(f->trace.path, "h.1.1",
                                   RAW_PLAIN_PROCESS "counters: instructions=p:0:0:2,clock=c:0\ncounter-ticks: 700\n"
                                                     "counters-lost: 3 too many open files\n");
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

static void reading(struct raw_thread *thread, uint64_t time, uint64_t instructions, uint64_t share, uint64_t clock)
{
  raw_put(thread, RAW_COUNTERS, 2, 0, time, 4, (uint64_t[]){instructions, share, clock, 0});
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

/* All of them, also two between the same events. */
static void each_reading_is_there(void **state)
{
  struct fixture *f = *state;
  reading(f->threads[0], 5, 0, 0, 0);
  reading(f->threads[0], 10, 4, 0, 5);
  RAW0(f->threads[0], RAW_MASKED_BEGIN, 0, 0, 10);
  reading(f->threads[0], 50, 1000, 512, 40);
  RAW0(f->threads[0], RAW_MASKED_END, 0, 0, 50);
  finish(f, 100, 0,
         "1 thread-begin\n5 metric 0 0\n10 enter !$omp masked\n10 metric 4 5\n50 leave !$omp masked\n"
         "50 metric 1000 40\n100 thread-end\n");
  trace_test_property(&f->trace, "HEDDLE::COUNTER_READINGS", "3");
  trace_test_property(&f->trace, "HEDDLE::COUNTERS_LOST", "3");
  trace_test_definitions(&f->trace, "location-property",
                         "location-property 0 HEDDLE::THREAD_TYPE=initial\n"
                         "location-property 0 HEDDLE::COUNTERS_SCALED=instructions\n"
                         "location-property 0 HEDDLE::TID=100\nlocation-property 1 HEDDLE::THREAD_TYPE=worker\n"
                         "location-property 1 HEDDLE::TID=101\n");
}

/* A worker's late end of a barrier: what was read there waits for it, and neither moves the other. */
static void late_ends_keep_their_time(void **state)
{
  struct fixture *f = *state;
  for (unsigned i = 0; i < 2; i++) {
    if (i == 0)
      RAW1(f->threads[i], RAW_PARALLEL_BEGIN, RAW_PARALLEL_RUNTIME, 0x1000, 10, 2ull << 48 | 1 << RAW_ID_BLOCK_SHIFT);
    RAW1(f->threads[i], RAW_IMPLICIT_BEGIN, 2, 1 << RAW_ID_BLOCK_SHIFT, 11, (uint64_t)i << 32 | 2);
    if (i == 1)
      reading(f->threads[i], 20, 8, 0, 5);
    RAW0(f->threads[i], RAW_BARRIER_BEGIN, SYNC_BARRIER_IMPLICIT_PARALLEL, 0x1000, 20);
  }
  RAW0(f->threads[0], RAW_BARRIER_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, 30);
  RAW0(f->threads[0], RAW_IMPLICIT_END, 2, 0, 30);
  RAW0(f->threads[0], RAW_PARALLEL_END, RAW_PARALLEL_RUNTIME, 1 << RAW_ID_BLOCK_SHIFT, 30);
  reading(f->threads[1], 90, 70, 0, 60);
  RAW0(f->threads[1], RAW_BARRIER_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, 90);
  RAW0(f->threads[1], RAW_IMPLICIT_END, 2, 0, 90);
  finish(f, 100, 1,
         "1 thread-begin\n11 team-begin 0\n11 enter !$omp parallel @0x1000\n20 enter !$omp implicit barrier @0x1000\n"
         "20 enter !$omp implicit barrier wait @0x1000\n20 metric 8 5\n20 leave !$omp implicit barrier wait @0x1000\n"
         "20 leave !$omp implicit barrier @0x1000\n20 leave !$omp parallel @0x1000\n20 team-end 0\n90 metric 70 60\n"
         "100 thread-end\n");
}

/* More or fewer than the process has named, in a damaged trace. */
static void others_than_named_do_no_harm(void **state)
{
  struct fixture *f = *state;
  raw_put(f->threads[0], RAW_COUNTERS, 0, 0, 5, 0, NULL);
  raw_put(f->threads[0], RAW_COUNTERS, 1, 0, 6, 2, (uint64_t[]){9, 0});
  raw_put(f->threads[0], RAW_COUNTERS, 3, 0, 7, 6, (uint64_t[]){10, 0, 11, 0, 12, 0});
  finish(f, 100, 0, "1 thread-begin\n6 metric 9 0\n7 metric 10 11\n100 thread-end\n");
}

static void names_are_those_of_the_list(void **state)
{
  (void)state;
  struct process_info info = {.counters = (char *)"a=p:0:0:0,b\001=u:0,,c,=c:0,x=c:0,y=c:0,z=c:0,too=c:0,many=c:0"};
  struct counter_names names = counter_names(&info);
  assert_int_equal(names.count, COUNTER_NAMES_MOST);
  assert_string_equal(names.list[0].name, "a");
  assert_int_equal(names.list[0].source, 'p');
  assert_string_equal(names.list[1].name, "b\\x01");
  assert_string_equal(names.list[3].name, "c");
  assert_int_equal(names.list[3].source, 0);
  info.counters = NULL;
  assert_int_equal(counter_names(&info).count, 0);
}

UNIT_TEST(counters)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(each_reading_is_there, set_up, tear_down),
      cmocka_unit_test_setup_teardown(late_ends_keep_their_time, set_up, tear_down),
      cmocka_unit_test_setup_teardown(others_than_named_do_no_harm, set_up, tear_down),
      cmocka_unit_test(names_are_those_of_the_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
