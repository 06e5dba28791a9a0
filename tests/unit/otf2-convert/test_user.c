/* What the converter makes of the program's own regions, phases and events. Ticks are nanoseconds. */
#include "otf2-convert/timeline/record_details.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <stdlib.h>
#include <string.h>

/* Ids of names in the process file; ids from GAP_ID on have none. */
enum { SOLVE = 1, STEP, NASTY, INIT, EMPTY, GAP_ID };

#define NAMES                                                                                                          \
  "name: 1 solve\nname: 2 a step\nname: 3 <b>\\x0a\\xff\nname: 4 init\nname: 5 \nname: 1 again\nname: 0 zero\n"        \
  "name: 65537 far\nname: x\nname: 7\n"
#define ID(n) ((1ull << RAW_ID_BLOCK_SHIFT) + (n))

struct fixture {
  struct trace_test trace;
  struct raw_thread *thread;
};

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  trace_test_begin(&f->trace);
  char *directory = raw_write_process(f->trace.path, "h.1.1", "tool: user\n" RAW_PLAIN_PROCESS NAMES);
  f->thread = raw_thread_open(directory, 0, 8192, 0);
  RAW0(f->thread, RAW_THREAD_BEGIN, 0, 7, 1);
  free(directory);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;
  trace_test_end(&f->trace);
  free(f);
  return 0;
}

static void convert(struct fixture *f)
{
  raw_thread_close(f->thread);
  trace_test_convert(&f->trace);
}

static void expect_counts(const struct fixture *f, const char *not_left, const char *unmatched)
{
  trace_test_property(&f->trace, "HEDDLE::USER_NOT_LEFT", not_left);
  trace_test_property(&f->trace, "HEDDLE::USER_UNMATCHED", unmatched);
  trace_test_property(&f->trace, "HEDDLE::ENDS_UNMATCHED", "0");
  trace_test_property(&f->trace, "HEDDLE::ENDS_FORCED", "0");
}

static void regions_and_events(void **state)
{
  struct fixture *f = *state;
  double real = 0.5;
  uint64_t words[8] = {(uint64_t)RAW_USER_INTEGER << 48 | STEP, (uint64_t)-5, (uint64_t)RAW_USER_REAL << 48 | STEP, 0};
  memcpy(&words[3], &real, sizeof real);
  RAW0(f->thread, RAW_USER_ENTER, 0, SOLVE, 10);
  RAW0(f->thread, RAW_USER_ENTER, 0, NASTY, 20);
  raw_put(f->thread, RAW_USER_EVENT, 2, STEP, 30, 4, words);
  RAW0(f->thread, RAW_USER_EVENT, 0, SOLVE, 35);
  RAW0(f->thread, RAW_USER_LEAVE, 0, NASTY, 40);
  RAW0(f->thread, RAW_USER_ENTER, 0, SOLVE, 50);
  RAW0(f->thread, RAW_USER_LEAVE, 0, SOLVE, 60);
  RAW0(f->thread, RAW_USER_CONTROL, 1, 0, 65);
  RAW0(f->thread, RAW_USER_LEAVE, 0, SOLVE, 70);
  RAW0(f->thread, RAW_THREAD_END, 0, 0, 80);
  convert(f);
  trace_test_events(&f->trace, 0,
                    "1 thread-begin\n10 enter solve\n20 enter <b>\\x0a\\xff\n30 enter a step a step=-5 a step=0.5\n"
                    "30 leave a step\n35 enter solve\n35 leave solve\n40 leave <b>\\x0a\\xff\n50 enter solve\n"
                    "60 leave solve\n70 leave solve\n80 thread-end\n");
  trace_test_definitions(&f->trace, "region",
                         "region solve; solve; ; :0 User\nregion <b>\\x0a\\xff; <b>\\x0a\\xff; ; :0 User\n"
                         "region a step; a step; kind: event; :0 User\nregion solve; solve; kind: event; :0 User\n");
  expect_counts(f, "0", "0");
}

/* Names and attributes that are not there, or several times; types that are none. */
static void doubtful(void **state)
{
  struct fixture *f = *state;
  uint64_t words[10] = {(uint64_t)RAW_USER_INTEGER << 48 | STEP,
                        1,
                        (uint64_t)RAW_USER_INTEGER << 48 | STEP,
                        2,
                        (uint64_t)RAW_USER_INTEGER << 48 | 99,
                        3,
                        (uint64_t)7 << 48 | SOLVE,
                        4,
                        (uint64_t)RAW_USER_INTEGER << 48,
                        5};
  raw_put(f->thread, RAW_USER_EVENT, 5, RAW_VALUE_MASK, 10, 10, words);
  RAW0(f->thread, RAW_USER_ENTER, 0, 0, 20);
  RAW0(f->thread, RAW_USER_ENTER, 0, GAP_ID, 30);
  RAW0(f->thread, RAW_USER_ENTER, 0, EMPTY, 40);
  RAW0(f->thread, RAW_USER_LEAVE, 0, 0, 50);
  RAW0(f->thread, RAW_THREAD_END, 0, 0, 60);
  convert(f);
  trace_test_events(&f->trace, 0,
                    "1 thread-begin\n10 enter unnamed a step=1\n10 leave unnamed\n20 enter unnamed\n30 enter unnamed\n"
                    "40 enter \n50 leave  closed=not left\n50 leave unnamed closed=not left\n50 leave unnamed\n"
                    "60 thread-end\n");
  expect_counts(f, "2", "0");
}

static void phases(void **state)
{
  struct fixture *f = *state;
  RAW0(f->thread, RAW_USER_PHASE, 0, INIT, 10);
  RAW0(f->thread, RAW_USER_PHASE, 0, SOLVE, 20);
  RAW0(f->thread, RAW_USER_ENTER, 0, STEP, 30);
  RAW0(f->thread, RAW_USER_PHASE, 0, INIT, 40);
  RAW0(f->thread, RAW_USER_ENTER, 0, STEP, 45);
  RAW0(f->thread, RAW_USER_LEAVE, 0, STEP, 46);
  RAW0(f->thread, RAW_USER_LEAVE, 0, STEP, 50);
  RAW0(f->thread, RAW_USER_PHASE, 0, 0, 60);
  RAW0(f->thread, RAW_USER_PHASE, 0, 0, 65);
  RAW0(f->thread, RAW_USER_PHASE, 0, STEP, 70);
  RAW0(f->thread, RAW_THREAD_END, 0, 0, 80);
  convert(f);
  trace_test_events(&f->trace, 0,
                    "1 thread-begin\n10 enter init\n20 leave init\n20 enter solve\n30 enter a step\n40 enter init\n"
                    "45 enter a step\n46 leave a step\n50 leave init\n50 leave a step\n60 leave solve\n"
                    "70 enter a step\n80 leave a step\n80 thread-end\n");
  trace_test_definitions(&f->trace, "region",
                         "region init; init; ; :0 User phase\nregion solve; solve; ; :0 User phase\n"
                         "region a step; a step; ; :0 User\nregion a step; a step; ; :0 User phase\n");
  expect_counts(f, "0", "0");
}

/* A leave neither crosses a construct, nor does an end of one lose what is in it. */
static void unbalanced(void **state)
{
  struct fixture *f = *state;
  RAW0(f->thread, RAW_USER_LEAVE, 0, SOLVE, 5);
  RAW0(f->thread, RAW_USER_ENTER, 0, SOLVE, 10);
  RAW0(f->thread, RAW_USER_ENTER, 0, STEP, 20);
  RAW0(f->thread, RAW_USER_ENTER, 0, NASTY, 25);
  RAW0(f->thread, RAW_USER_LEAVE, 0, STEP, 30);
  RAW0(f->thread, RAW_USER_LEAVE, 0, NASTY, 35);
  RAW0(f->thread, RAW_MASKED_BEGIN, 0, 0, 40);
  RAW0(f->thread, RAW_USER_LEAVE, 0, SOLVE, 45);
  RAW0(f->thread, RAW_USER_ENTER, 0, INIT, 50);
  RAW0(f->thread, RAW_MASKED_END, 0, 0, 60);
  RAW0(f->thread, RAW_USER_LEAVE, 0, INIT, 70);
  RAW0(f->thread, RAW_USER_PHASE, 0, INIT, 75);
  convert(f);
  trace_test_events(&f->trace, 0,
                    "1 thread-begin\n10 enter solve\n20 enter a step\n25 enter <b>\\x0a\\xff\n"
                    "30 leave <b>\\x0a\\xff closed=not left\n30 leave a step\n40 enter !$omp masked\n50 enter init\n"
                    "60 leave init closed=not left\n60 leave !$omp masked\n75 enter init\n1000000 leave init\n"
                    "1000000 leave solve closed=ended\n1000000 thread-end closed=ended\n");
  expect_counts(f, "3", "4");
}

/* A worker's region ends at a time that is found out: what was not left in it ends there, too. */
static void not_left_at_a_late_end(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->thread;
  RAW1(t, RAW_IMPLICIT_BEGIN, 2, ID(0), 10, 1ull << 32 | 2);
  RAW0(t, RAW_USER_ENTER, 0, SOLVE, 20);
  RAW0(t, RAW_SYNC_BEGIN, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, 30);
  RAW0(t, RAW_WAIT_BEGIN, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, 30);
  RAW0(t, RAW_WAIT_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, 90);
  RAW0(t, RAW_SYNC_END, SYNC_BARRIER_IMPLICIT_PARALLEL, 0, 90);
  RAW0(t, RAW_IMPLICIT_END, 2, 0, 90);
  RAW0(t, RAW_THREAD_END, 0, 0, 95);
  convert(f);
  trace_test_property(&f->trace, "HEDDLE::USER_NOT_LEFT", "1");
}

/* OpenMP may begin inside of a region, and end before it. */
static void around_the_initial_task(void **state)
{
  struct fixture *f = *state;
  RAW0(f->thread, RAW_USER_PHASE, 0, INIT, 5);
  RAW0(f->thread, RAW_USER_ENTER, 0, SOLVE, 10);
  RAW1(f->thread, RAW_IMPLICIT_BEGIN, 1, 0, 20, 1ull << 32 | 1);
  RAW0(f->thread, RAW_MASKED_BEGIN, 0, 0, 25);
  RAW0(f->thread, RAW_MASKED_END, 0, 0, 26);
  RAW0(f->thread, RAW_USER_LEAVE, 0, SOLVE, 30);
  RAW0(f->thread, RAW_USER_ENTER, 0, STEP, 40);
  RAW0(f->thread, RAW_IMPLICIT_END, 1, 0, 50);
  RAW0(f->thread, RAW_USER_LEAVE, 0, STEP, 60);
  RAW0(f->thread, RAW_THREAD_END, 0, 0, 70);
  convert(f);
  trace_test_events(&f->trace, 0,
                    "1 thread-begin\n5 enter init\n10 enter solve\n25 enter !$omp masked\n26 leave !$omp masked\n"
                    "30 leave solve\n40 enter a step\n60 leave a step\n70 leave init\n70 thread-end\n");
  expect_counts(f, "0", "0");
}

static void names_of_threads(void **state)
{
  struct fixture *f = *state;
  char *directory = raw_write_process(f->trace.path, "h.2.2", "tool: user\n" RAW_PLAIN_PROCESS);
  uint64_t words[2] = {0};
  memcpy(words, "the boss", 8);
  raw_put(f->thread, RAW_THREAD_TEXT, 1, 8 | RAW_TEXT_USER << 16, 5, 2, words);
  for (unsigned i = 0; i < 2; i++) {
    struct raw_thread *thread = raw_thread_open(directory, i, 4096, 0);
    RAW0(thread, RAW_THREAD_BEGIN, 0, 7, 10);
    raw_thread_close(thread);
  }
  free(directory);
  convert(f);
  trace_test_definitions(&f->trace, "location",
                         "location 0 the boss in 0\nlocation 1 main thread in 1\nlocation 2 thread 1 in 1\n");
}

UNIT_TEST(user)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(regions_and_events),
      TEST(doubtful),
      TEST(phases),
      TEST(unbalanced),
      TEST(not_left_at_a_late_end),
      TEST(around_the_initial_task),
      TEST(names_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
