/* Profiles: rows become regions without length, and their self times are the thread's life. */
#include "otf2-convert/timeline/record_details.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <stdlib.h>
#include <string.h>

#define ROW_WORDS (RAW_ROW_HISTOGRAM + RAW_ROW_BUCKETS)

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
  RAW0(f->thread, RAW_THREAD_BEGIN, 1, 100, 10);
  RAW1(f->thread, RAW_STALL, 0, 0, 20, 10);
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

/* The thread is in row `inside`, and the rows have its time up to `last`. */
static void put_thread(struct fixture *f, uint64_t time, uint64_t last, uint64_t inside)
{
  raw_put(f->thread, RAW_PROFILE_THREAD, 0, 1, time, 2, (uint64_t[]){last, inside});
}

static void put_row(struct fixture *f, enum raw_row row, unsigned number, uint64_t time, uint64_t executions,
                    uint64_t inclusive, uint64_t self)
{
  uint64_t words[ROW_WORDS] = {0};
  words[RAW_ROW_EXECUTIONS] = executions;
  words[RAW_ROW_INCLUSIVE] = inclusive;
  words[RAW_ROW_SELF] = self;
  words[RAW_ROW_LONGEST] = inclusive;
  if (executions > 0)
    words[RAW_ROW_HISTOGRAM + raw_row_bucket(inclusive)] = executions;
  raw_put(f->thread, RAW_PROFILE_ROW, raw_row_detail(row, number), 0, time, ROW_WORDS - 2, words + 2);
}

#define BEGIN                                                                                                          \
  "10 thread-begin\n10 enter TRACEFLUSH\n20 leave TRACEFLUSH\n"                                                        \
  "20 enter profile row row=the tool self=10\n20 leave profile row\n"

static void rows_have_all_of_the_life(void **state)
{
  struct fixture *f = *state;
  put_thread(f, 20, 700, 0);
  put_row(f, RAW_ROW_OUTSIDE, 0, 20, 0, 0, 80);
  put_row(f, RAW_ROW_REGION, 0, 100, 1, 600, 600);
  RAW0(f->thread, RAW_THREAD_END, 0, 0, 750);
  raw_thread_close(f->thread);
  trace_test_convert(&f->trace);
  trace_test_events(&f->trace, 0,
                    BEGIN "20 enter profile row row=no construct self=80\n20 leave profile row\n"
                          "100 enter profile row row=construct construct=!$omp parallel instances=1 time=600 self=600 "
                          "longest=600 shorter than 2^10=1\n100 leave profile row\n"
                          "750 enter profile row row=no construct self=50\n750 leave profile row\n750 thread-end\n");
  trace_test_property(&f->trace, "HEDDLE::PROFILE", "1");
}

/* Killed in a barrier: the thread's last time is in the profile alone, and the barrier has what is left. */
static void a_killed_thread_ends_with_its_profile(void **state)
{
  struct fixture *f = *state;
  free(f->directory);
  f->directory = raw_write_process(
      f->trace.path, "h.1.1", "host: testhost\npid: 1\nstart: 1\nexe: /bin/test\nclock: monotonic\nanchor: 0 0 0\n");
  put_thread(f, 20, 900, 1);
  put_row(f, RAW_ROW_OUTSIDE, 0, 20, 0, 0, 80);
  put_row(f, RAW_ROW_SYNC, SYNC_BARRIER_EXPLICIT, 100, 0, 0, 700);
  raw_thread_leave(f->thread, 0);
  raw_thread_close(f->thread);
  trace_test_convert(&f->trace);
  trace_test_events(&f->trace, 0,
                    BEGIN
                    "20 enter profile row row=no construct self=80\n20 leave profile row\n"
                    "100 enter profile row row=construct construct=!$omp barrier self=700\n100 leave profile row\n"
                    "900 enter profile row row=construct construct=!$omp barrier self=100\n900 leave profile row\n"
                    "900 thread-end closed=killed\n");
}

static void every_kind_of_row_is_told(void **state)
{
  struct fixture *f = *state;
  static const struct {
    enum raw_row row;
    unsigned number;
  } rows[] = {{RAW_ROW_MEMBER, 0},
              {RAW_ROW_WORK, WORK_SINGLE_EXECUTOR},
              {RAW_ROW_WORK, WORK_LOOP_DYNAMIC},
              {RAW_ROW_SYNC_WAIT, SYNC_TASKGROUP},
              {RAW_ROW_ACQUIRE, MUTEX_CRITICAL},
              {RAW_ROW_HOLD, MUTEX_CRITICAL},
              {RAW_ROW_TASK, 0},
              {RAW_ROW_OTHER, 0},
              {RAW_ROW_NOT_MEASURED, 0},
              {RAW_ROW_STALL, 0},
              {RAW_ROW_BLOCK, RAW_BLOCK_WAIT},
              {RAW_ROW_BLOCK, 0}};
  put_thread(f, 20, 740, UINT64_MAX);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    put_row(f, rows[i].row, rows[i].number, 30, 0, 0, 73);
  RAW0(f->thread, RAW_THREAD_END, 0, 0, 750);
  raw_thread_close(f->thread);
  trace_test_convert(&f->trace);
#define ROW(what) "30 enter profile row row=" what " self=73\n30 leave profile row\n"
  trace_test_events(&f->trace, 0,
                    BEGIN ROW("member construct=!$omp parallel") ROW("construct construct=!$omp single sblock")
                        ROW("construct construct=!$omp for") ROW("construct construct=!$omp taskgroup wait")
                            ROW("acquire construct=!$omp critical") ROW("hold construct=!$omp critical")
                                ROW("construct construct=!$omp task") ROW("others") ROW("not measured") ROW("the tool")
                                    ROW("construct construct=Object.wait") ROW("others") "750 thread-end\n");
}

UNIT_TEST(profile)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rows_have_all_of_the_life, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_killed_thread_ends_with_its_profile, set_up, tear_down),
      cmocka_unit_test_setup_teardown(every_kind_of_row_is_told, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
