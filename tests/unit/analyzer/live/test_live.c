/* What heddle-convert says of a running process (docs/live.md): each kind of line, lines that are wrong, and readings.
 */
#include "analyzer/live/profile/states.h"
#include "analyzer/live/readings/live.h"
#include "analyzer/live/readings/metric_request.h"
#include "analyzer/live/readings/reader.h"
#include "base/count_of.h"
#include "common/raw/live_control.h"
#include "tests/unit/unit.h"

#include <string.h>

enum { FOR = 0, BARRIER = 1 };
#define REGIONS                                                                                                        \
  "region\t0\t5\t3\t12\t!$omp for @a.c:12\tmain\tloop\ta.c", "region\t1\t11\t3\t12\t!$omp implicit "                   \
                                                             "barrier\tmain\t\ta.c"

static int begin(void **state)
{
  static struct live_reader reader;
  assert_true(live_reader_begin(&reader, 1000, "program"));
  *state = &reader;
  return 0;
}

static int end(void **state)
{
  live_reader_end(*state);
  return 0;
}

static enum live_line take(struct live_reader *reader, const char *text)
{
  char line[512];
  assert_true(strlen(text) < sizeof line);
  strcpy(line, text);
  return live_reader_take(reader, line);
}

static void take_good(struct live_reader *reader, const char *const *lines, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (take(reader, lines[i]) != LIVE_GOES_ON)
      fail_msg("is refused: %s", lines[i]);
}
#define TAKE(reader, ...)                                                                                              \
  take_good(reader, (const char *const[]){__VA_ARGS__}, COUNT_OF(((const char *const[]){__VA_ARGS__})))

static struct live_reading result(struct live_reader *reader)
{
  struct live_reading reading;
  assert_int_equal(take(reader, "end"), LIVE_READ);
  assert_true(live_reader_result(reader, &reading));
  return reading;
}

/* A row that must be there. */
static const struct profile_row *row(const struct live_reading *reading, uint32_t location, uint32_t region,
                                     enum profile_kind kind)
{
  for (size_t i = 0; i < reading->profile.count; i++) {
    const struct profile_row *at = &reading->profile.rows[i];
    if (at->location == location && at->region == region && at->kind == kind)
      return at;
  }
  fail_msg("thread %u has no row of region %u", location, region);
  return NULL;
}

/* Each thread's self times are its time, in any reading. */
static void assert_times(const struct live_reading *reading)
{
  for (uint32_t location = 0; location < reading->location_count; location++) {
    const struct profile_life *life = &reading->profile.lives[location];
    wide_total self = 0;
    for (size_t i = 0; i < reading->profile.count; i++)
      self += reading->profile.rows[i].location == location ? reading->profile.rows[i].self : 0;
    assert_true(life->last >= life->first);
    assert_true(self == life->last - life->first);
  }
}

static void lines_are_a_reading(void **state)
{
  struct live_reader *reader = *state;
  TAKE(reader, "reading\t5000", "thread\t7\t4711\tinitial\tOpenMP master", "look\t7\tlives\t1000\t3000\t4000\t1",
       REGIONS, "row\t7\tno construct\t\t0\t0\t500\t0\t0\t0\t0",
       "row\t7\tconstruct\t0\t3\t1500\t1500\t700\t2\t90\t11\t9:2\t10:1");
  struct live_reading reading = result(reader);
  const struct profile_row *loop = row(&reading, 0, FOR, PROFILE_CONSTRUCT);
  assert_int_equal(reading.location_count, 1);
  assert_int_equal(reading.now, 5000);
  assert_false(reading.over);
  assert_string_equal(reading.trace->locations[0].name, "OpenMP master");
  assert_int_equal(reading.trace->locations[0].type, TRACE_THREAD_INITIAL);
  assert_int_equal(reading.threads[0].tid, 4711);
  assert_true(reading.threads[0].is_inside && !reading.threads[0].over);
  assert_int_equal(reading.threads[0].region, FOR);
  assert_int_equal(reading.threads[0].kind, PROFILE_CONSTRUCT);
  assert_string_equal(reading.trace->regions[FOR].name, "!$omp for @a.c:12");
  assert_string_equal(reading.trace->regions[FOR].function, "main");
  assert_string_equal(reading.trace->regions[FOR].description, "loop");
  assert_string_equal(reading.trace->regions[FOR].file, "a.c");
  assert_int_equal(reading.trace->regions[FOR].line, 12);
  assert_int_equal(loop->executions, 3);
  assert_int_equal(loop->inclusive, 1500);
  assert_int_equal(loop->self, 1500 + 1000); /* it is still in the loop at the time of the look */
  assert_int_equal(loop->longest, 700);
  assert_int_equal(loop->contended, 2);
  assert_int_equal(loop->waiting, 90);
  assert_int_equal(loop->since_begin, 11);
  assert_int_equal(loop->durations[9], 2);
  assert_int_equal(loop->durations[10], 1);
  assert_int_equal(reading.profile.lives[0].first, 1000);
  assert_int_equal(reading.profile.lives[0].last, 4000);
  assert_times(&reading);
  live_reading_free(&reading);
}

/* Rows of one construct, as several addresses give them, are one. */
static void rows_that_are_alike_add_up(void **state)
{
  struct live_reader *reader = *state;
  TAKE(reader, "reading\t100", REGIONS, "thread\t1\t0\tworker\tw", "look\t1\tlives\t10\t50\t50\t",
       "row\t1\tconstruct\t0\t1\t15\t15\t15\t0\t0\t0\t7:1", "row\t1\tconstruct\t0\t2\t25\t25\t20\t0\t0\t0\t7:2");
  struct live_reading reading = result(reader);
  assert_int_equal(reading.profile.count, 1);
  assert_int_equal(reading.profile.rows[0].executions, 3);
  assert_int_equal(reading.profile.rows[0].longest, 20);
  assert_int_equal(reading.profile.rows[0].durations[7], 3);
  assert_false(reading.threads[0].is_inside);
  assert_times(&reading);
  live_reading_free(&reading);
}

/* Its lines come once; it stays as it was. The process' end ends the others. */
static void threads_that_end(void **state)
{
  struct live_reader *reader = *state;
  TAKE(reader, "reading\t100", "thread\t1\t0\tworker\ta", "look\t1\tover\t10\t50\t90\t",
       "row\t1\tno construct\t\t0\t0\t40\t0\t0\t0\t0", "thread\t2\t0\tworker\tb", "look\t2\tlives\t20\t50\t90\t0",
       "row\t2\tno construct\t\t0\t0\t30\t0\t0\t0\t0");
  struct live_reading first = result(reader);
  assert_true(first.threads[0].over && !first.threads[1].over);
  assert_int_equal(first.profile.lives[0].last, 50); /* it did not live up to the look */
  assert_int_equal(first.profile.lives[1].last, 90);
  assert_times(&first);
  TAKE(reader, "reading\t200", "look\t2\tlives\t20\t150\t190\t0", "row\t2\tno construct\t\t0\t0\t130\t0\t0\t0\t0",
       "over");
  struct live_reading second = result(reader), between;
  assert_true(second.over && second.threads[0].over && second.threads[1].over && !second.threads[1].is_inside);
  assert_int_equal(row(&second, 0, TRACE_NONE, PROFILE_OUTSIDE)->self, 40);
  assert_int_equal(second.profile.lives[1].last, 150);
  assert_times(&second);
  assert_true(live_between(&first, &second, &between));
  assert_int_equal(between.profile.count, 1); /* nothing came for the thread that had ended */
  assert_int_equal(between.profile.rows[0].self, 60);
  assert_int_equal(between.profile.lives[0].last, 0);
  assert_times(&between);
  live_reading_free(&between);
  live_reading_free(&first);
  live_reading_free(&second);
}

/* Rows that are new, rows that go on, rows in which nothing came, threads that are new. */
static void what_came_between_two_readings(void **state)
{
  struct live_reader *reader = *state;
  TAKE(reader, "reading\t1000", REGIONS, "thread\t1\t0\tinitial\ta", "look\t1\tlives\t0\t900\t950\t0",
       "row\t1\tno construct\t\t0\t0\t600\t0\t0\t0\t0", "row\t1\tconstruct\t0\t4\t300\t300\t90\t1\t20\t0\t7:3\t8:1");
  struct live_reading first = result(reader);
  TAKE(reader, "reading\t2000", "look\t1\tlives\t0\t1900\t1950\t2", "row\t1\tno construct\t\t0\t0\t1000\t0\t0\t0\t0",
       "row\t1\tconstruct\t0\t7\t500\t500\t120\t3\t50\t0\t7:5\t8:2",
       "row\t1\tconstruct\t1\t7\t400\t400\t100\t0\t0\t0\t7:7", "thread\t2\t0\tworker\tb",
       "look\t2\tlives\t1500\t1800\t1960\t0", "row\t2\tno construct\t\t0\t0\t300\t0\t0\t0\t0");
  struct live_reading second = result(reader), between;
  assert_true(live_between(&first, &second, &between));
  const struct profile_row *loop = row(&between, 0, FOR, PROFILE_CONSTRUCT);
  assert_int_equal(loop->executions, 3);
  assert_int_equal(loop->inclusive, 200);
  assert_int_equal(loop->self, 200);
  assert_int_equal(loop->longest, 120); /* of all time */
  assert_int_equal(loop->contended, 2);
  assert_int_equal(loop->waiting, 30);
  assert_int_equal(loop->durations[7], 2);
  assert_int_equal(loop->durations[8], 1);
  assert_int_equal(row(&between, 0, TRACE_NONE, PROFILE_OUTSIDE)->self, 350);
  assert_int_equal(row(&between, 0, BARRIER, PROFILE_CONSTRUCT)->self, 450);
  assert_int_equal(row(&between, 1, TRACE_NONE, PROFILE_OUTSIDE)->self, 460);
  assert_int_equal(between.profile.lives[0].first, 950);
  assert_int_equal(between.profile.lives[0].last, 1950);
  assert_int_equal(between.profile.lives[1].first, 1500);
  assert_times(&between);
  live_reading_free(&between);

  TAKE(reader, "reading\t2000");
  struct live_reading third = result(reader);
  assert_true(live_between(&second, &third, &between));
  assert_int_equal(between.profile.count, 0);
  assert_times(&between);
  live_reading_free(&between);
  live_reading_free(&first);
  live_reading_free(&second);
  live_reading_free(&third);
}

/* The look came while the thread left its row: the row has less in the next reading. */
static void a_row_that_shrinks(void **state)
{
  struct live_reader *reader = *state;
  TAKE(reader, "reading\t1000", REGIONS, "thread\t1\t0\tinitial\ta", "look\t1\tlives\t0\t500\t900\t0",
       "row\t1\tconstruct\t0\t1\t500\t500\t500\t0\t0\t0");
  struct live_reading first = result(reader);
  assert_int_equal(row(&first, 0, FOR, PROFILE_CONSTRUCT)->self, 900);
  TAKE(reader, "reading\t2000", "look\t1\tlives\t0\t1900\t1900\t1", "row\t1\tconstruct\t0\t2\t510\t510\t500\t0\t0\t0",
       "row\t1\tconstruct\t1\t2\t1390\t1390\t700\t0\t0\t0");
  struct live_reading second = result(reader), between;
  assert_true(live_between(&first, &second, &between));
  assert_int_equal(row(&between, 0, FOR, PROFILE_CONSTRUCT)->self, 0);
  assert_int_equal(row(&between, 0, FOR, PROFILE_CONSTRUCT)->executions, 1);
  assert_int_equal(row(&between, 0, BARRIER, PROFILE_CONSTRUCT)->self, 1000);
  assert_times(&between);
  live_reading_free(&between);
  live_reading_free(&first);
  live_reading_free(&second);
}

/* The rows were read after the look's time: they are not cut, and nothing is added. */
static void rows_that_are_newer_than_the_look(void **state)
{
  struct live_reader *reader = *state;
  TAKE(reader, "reading\t1000", REGIONS, "thread\t1\t0\tinitial\ta", "look\t1\tlives\t100\t500\t510\t0",
       "row\t1\tconstruct\t0\t1\t500\t500\t500\t0\t0\t0");
  struct live_reading reading = result(reader);
  assert_int_equal(row(&reading, 0, FOR, PROFILE_CONSTRUCT)->self, 500);
  assert_int_equal(reading.profile.lives[0].last, 600);
  assert_times(&reading);
  live_reading_free(&reading);
}

#define MOST  "18446744073709551615"
#define ABOVE "18446744073709551616"

static void the_largest_numbers(void **state)
{
  struct live_reader *reader = *state;
  TAKE(reader, "reading\t" MOST, REGIONS, "thread\t4294967295\t" MOST "\tno type\tname",
       "look\t4294967295\tlives\t" MOST "\t" MOST "\t" MOST "\t" MOST,
       "row\t4294967295\tno kind\t1\t" MOST "\t" MOST "\t" MOST "\t" MOST "\t" MOST "\t" MOST "\t" MOST "\t63:" MOST,
       "row\t4294967295\tno kind\t1\t" MOST "\t" MOST "\t" MOST "\t" MOST "\t" MOST "\t" MOST "\t" MOST "\t0:" MOST);
  struct live_reading reading = result(reader), between;
  assert_int_equal(reading.profile.rows[0].kind, PROFILE_OTHER);
  assert_int_equal(reading.profile.lives[0].last, UINT64_MAX);
  assert_true(live_between(&reading, &reading, &between));
  live_reading_free(&between);
  live_reading_free(&reading);
}

/* In a reading that has a region and a thread. */
static void lines_that_are_wrong(void **state)
{
  static const char *const lines[] = {"",
                                      "\t",
                                      "nonsense",
                                      "nonsense\t1",
                                      "heddle-live\t1\t1\t1\tx",
                                      "reading",
                                      "reading\t",
                                      "reading\tx",
                                      "reading\t-1",
                                      "reading\t" ABOVE,
                                      "reading\t1" /* within one */,
                                      "reading\t1 ",
                                      "end\t" /* no such line */,
                                      "over\t1",
                                      "region",
                                      "region\t0\t5\t3\t12\tn\tf\td\ta.c" /* is there */,
                                      "region\t3\t5\t3\t12\tn\tf\td\ta.c" /* 2 is next */,
                                      "region\t2\t256\t3\t12\tn\tf\td\ta.c",
                                      "region\t2\t5\t256\t12\tn\tf\td\ta.c",
                                      "region\t2\t5\t3\t4294967296\tn\tf\td\ta.c",
                                      "region\t2\t5\t3\t12\tn\tf\td",
                                      "region\t2\t5\t3\t12",
                                      "region\t2\t5",
                                      "region\tx\t5\t3\t12\tn\tf\td\ta.c",
                                      "thread",
                                      "thread\t1",
                                      "thread\t1\t2",
                                      "thread\t1\t2\tworker",
                                      "thread\t4294967296\t2\tworker\tn",
                                      "thread\t\t2\tworker\tn",
                                      "thread\t1\t\tworker\tn",
                                      "thread\tx\t2\tworker\tn",
                                      "look",
                                      "look\t1",
                                      "look\t9\tlives\t1\t2\t3\t",
                                      "look\t1\tlives\t1\t2\t3",
                                      "look\t1\tlives\t1\t2",
                                      "look\t1\tlives\t1",
                                      "look\t1\tdead\t1\t2\t3\t",
                                      "look\t1\tlives\tx\t2\t3\t",
                                      "look\t1\tlives\t1\tx\t3\t",
                                      "look\t1\tlives\t1\t2\tx\t",
                                      "look\t1\tlives\t1\t2\t3\tx",
                                      "look\t1\tlives\t1\t2\t3\t" ABOVE,
                                      "look\t1\tlives\t1\t2\t3\t0\t",
                                      "row",
                                      "row\t1",
                                      "row\t1\tconstruct",
                                      "row\t9\tconstruct\t0\t1\t2\t3\t4\t5\t6\t7",
                                      "row\t1\tconstruct\t2\t1\t2\t3\t4\t5\t6\t7",
                                      "row\t1\tconstruct\tx\t1\t2\t3\t4\t5\t6\t7",
                                      "row\t1\tconstruct\t0\t1\t2\t3\t4\t5\t6",
                                      "row\t1\tconstruct\t0\t1\t2\t3\t4\t5\t6\t",
                                      "row\t1\tconstruct\t0\t1\t2\t3\t4\t5\t6\t7\t",
                                      "row\t1\tconstruct\t0\t1\t2\t3\t4\t5\t6\t7\t7",
                                      "row\t1\tconstruct\t0\t1\t2\t3\t4\t5\t6\t7\t7:",
                                      "row\t1\tconstruct\t0\t1\t2\t3\t4\t5\t6\t7\t:1",
                                      "row\t1\tconstruct\t0\t1\t2\t3\t4\t5\t6\t7\t64:1",
                                      "row\t1\tconstruct\t0\t1\t2\t3\t4\t5\t6\t7\t7:1:1",
                                      "row\t1\tconstruct\t0\t" ABOVE "\t2\t3\t4\t5\t6\t7",
                                      "row\t1\tconstruct\t0\t0x1\t2\t3\t4\t5\t6\t7",
                                      "row\t1\tconstruct\t0\t+1\t2\t3\t4\t5\t6\t7",
                                      "row\t1\tconstruct\t-1\t1\t2\t3\t4\t5\t6\t7"};
  struct live_reader *reader = *state;
  TAKE(reader, "reading\t1", REGIONS, "thread\t1\t2\tworker\tn");
  for (size_t i = 0; i < COUNT_OF(lines); i++)
    if (take(reader, lines[i]) != LIVE_WRONG)
      fail_msg("is taken: %s", lines[i]);
}

/* Outside of a reading there are no lines but its begin. */
static void lines_in_no_reading(void **state)
{
  static const char *const lines[] = {"end",
                                      "over",
                                      "region\t0\t5\t3\t12\tn\tf\td\ta.c",
                                      "thread\t1\t2\tworker\tn",
                                      "look\t1\tlives\t1\t2\t3\t",
                                      "row\t1\tconstruct\t\t1\t2\t3\t4\t5\t6\t7"};
  for (size_t i = 0; i < COUNT_OF(lines); i++)
    if (take(*state, lines[i]) != LIVE_WRONG)
      fail_msg("is taken: %s", lines[i]);
}

/* --- Pairs of metric and focus --- */

static struct live_amount amount(const struct live_reading *reading, const char *text)
{
  struct error error;
  struct live_asked asked;
  struct states_sums sums;
  if (!live_asked_take(text, &asked, &error))
    fail_msg("%s: %s", text, error.message);
  assert_true(profiled_states(reading->trace, &reading->profile, &sums));
  struct live_amount found = live_asked_value(&asked, reading, &sums);
  states_sums_free(&sums);
  live_asked_free(&asked);
  return found;
}

static wide_total value(const struct live_reading *reading, const char *text)
{
  return amount(reading, text).total;
}

static void pairs_have_their_rows(void **state)
{
  struct live_reader *reader = *state;
  TAKE(reader, "reading\t5000", "thread\t1\t1\tinitial\tmain", "thread\t2\t2\tworker\tworker 1",
       "region\t0\t3\t3\t12\t!$omp for @a.c:12\tmain\tloop\ta.c",
       "region\t1\t13\t3\t20\t!$omp critical @a.c:20\tmain\t\ta.c", "look\t1\tlives\t1000\t2000\t2000\t",
       "row\t1\tconstruct\t0\t3\t600\t600\t300\t0\t0\t0\t9:3", "row\t1\tacquire\t1\t5\t50\t50\t30\t2\t40\t0\t5:5",
       "row\t1\thold\t1\t5\t70\t0\t30\t0\t0\t0\t5:5", "look\t2\tlives\t1000\t2000\t2000\t",
       "row\t2\tacquire\t1\t7\t100\t100\t30\t3\t90\t0\t5:7", "row\t2\thold\t1\t6\t60\t0\t10\t0\t0\t0\t5:6");
  struct live_reading reading = result(reader);
  static const struct {
    const char *pair;
    uint64_t value;
  } pairs[] = {{"loops", 3},
               {"loop-time@a.c", 600},
               {"loops@a.c:20", 0},
               {"locks", 11},
               {"locks@thread=worker*", 6},
               {"locks@a.c:20,thread=main", 5},
               {"locks@a.c:12", 0},
               {"contended-locks@a.c:12-20", 5},
               {"lock-waiting@main", 150},
               {"lock-held", 130},
               {"parallel-regions", 0},
               {"self-time@a.c", 750},
               {"self-time@thread=nobody", 0}};
  for (size_t i = 0; i < COUNT_OF(pairs); i++)
    if (value(&reading, pairs[i].pair) != pairs[i].value)
      fail_msg("%s is %lu", pairs[i].pair, (unsigned long)value(&reading, pairs[i].pair));
  wide_total all = value(&reading, "run-time") + value(&reading, "synch-time") + value(&reading, "idle-time");
  assert_true(all >= 600 && value(&reading, "run-time@thread=nobody") == 0);
  live_reading_free(&reading);
}

/* A loop makes tasks, has chunks, and takes locks; thread 1 is in two teams. */
#define COUNTED                                                                                                        \
  "reading\t5000", "thread\t1\t1\tinitial\tmain\tstart", "thread\t2\t2\tworker\tworker 1\t",                           \
      "region\t0\t3\t3\t12\t!$omp for @a.c:12\tmain\tloop\ta.c",                                                       \
      "region\t1\t13\t3\t20\tomp_set_lock @a.c:20\twork\t\ta.c", "look\t1\tlives\t1000\t2000\t2000\t",                 \
      "row\t1\tconstruct\t0\t3\t600\t600\t300\t0\t0\t0\tmember=0\t9:3",                                                \
      "row\t1\tconstruct\t0\t4\t100\t100\t300\t0\t0\t0\tmember=1\t9:4",                                                \
      "metric\t1\ttasks made\t0\t0\t\t\t12\t0\t0\t0\t0\t0\t\t0\t0",                                                    \
      "metric\t1\ttasks made\t0\t1\t\t\t5\t0\t0\t0\t0\t0\t\t0\t0",                                                     \
      "metric\t1\tchunks\t0\t\t\t\t8\t0\t0\t0\t0\t0\t\t800\t1",                                                        \
      "metric\t1\tlock\t1\t0\tforks[1]\t\t7\t2\t70\t60\t50\t40\t\t0\t0",                                               \
      "metric\t1\tevent\t0\t\tqueue\t\t5\t0\t0\t0\t0\t0\t\t0\t0",                                                      \
      "metric\t1\tvalue of event\t0\t\tqueue\tlength\t4\t0\t0\t0\t0\t0\t\t-30\t-7",                                    \
      "look\t2\tlives\t1000\t2000\t2000\t", "metric\t2\tlock\t1\t\tforks[2]\t\t9\t3\t90\t80\t70\t60\t\t0\t0",          \
      "metric\t2\tvalue of event\t\t\tqueue\tweight\t2\t0\t0\t0\t0\t0\treal\t1.5\t0.25",                               \
      "metric\t2\tgarbage collection\t\t\t\t\t3\t0\t45\t0\t0\t20\t\t0\t15",                                            \
      "metric\t2\tcost of measuring\t\t\t\t\t6\t0\t66\t0\t0\t0\t\t0\t0"

static void pairs_have_their_counts(void **state)
{
  struct live_reader *reader = *state;
  reader->apart = true;
  TAKE(reader, COUNTED);
  struct live_reading reading = result(reader);
  static const struct {
    const char *pair;
    uint64_t value;
  } pairs[] = {{"tasks-made", 17},
               {"tasks-made@member=0", 12},
               {"tasks-made@member=7", 0},
               {"loops@member=1", 4},
               {"loops@a.c:12,member=[01]", 7},
               {"loops", 7},
               {"chunks@a.c:12", 8},
               {"iterations@function=main,start=start", 800},
               {"iterations@start=other", 0},
               {"locks@lock=forks*", 16},
               {"locks@lock=forks?1?,construct=a.c:12,thread=main", 7},
               {"locks@lock=forks*,construct=a.c:12,thread=worker*", 0},
               {"contended-locks@function=work", 5},
               {"lock-waiting@lock=forks?2?", 90},
               {"lock-held@a.c:20,lock=forks*", 120},
               {"events@event=queue", 5},
               {"events@queue", 5},
               {"events@event=other", 0},
               {"event-values@value=length", 4},
               {"gc", 3},
               {"gc-time@thread=worker*", 45},
               {"self-time@state=run", 700},
               {"self-time@state=synch", 0},
               {"updates", 6},
               {"measuring-time", 66}};
  for (size_t i = 0; i < COUNT_OF(pairs); i++)
    if (value(&reading, pairs[i].pair) != pairs[i].value)
      fail_msg("%s is %lu", pairs[i].pair, (unsigned long)value(&reading, pairs[i].pair));
  live_reading_free(&reading);
}

/* Whole ones stay whole; a sum of both kinds is real. */
static void values_of_events_are_whole_or_real(void **state)
{
  struct live_reader *reader = *state;
  TAKE(reader, COUNTED);
  struct live_reading reading = result(reader);
  struct live_amount whole = amount(&reading, "event-sum@value=length"), real = amount(&reading, "event-sum"),
                     last = amount(&reading, "event-last@value=length"),
                     none = amount(&reading, "event-last@event=other");
  assert_true(whole.known && !whole.is_real && whole.whole == -30);
  assert_true(real.known && real.is_real && real.real == -28.5);
  assert_true(last.known && !last.is_real && last.whole == -7);
  assert_false(none.known);
  live_amount_add(LIVE_LAST, &last, &none);
  assert_int_equal(last.whole, -7);
  live_reading_free(&reading);
}

static uint64_t samples_of(const struct live_reading *reading, uint32_t region, int64_t *total)
{
  uint64_t count = 0;
  *total = 0;
  for (size_t i = 0; i < reading->profile.metric_count; i++)
    if (reading->profile.metrics[i].kind == PROFILE_SAMPLES && reading->profile.metrics[i].region == region) {
      count += reading->profile.metrics[i].count;
      *total += reading->profile.metrics[i].sum;
    }
  return count;
}

#define FUNCTION(number, name)         "region\t" number "\t2\t6\t0\t" name "\t" name "\t\ta.c"
#define SAMPLES(function, self, total) "metric\t7\tsamples\t" function "\t\t\t\t" self "\t0\t0\t0\t0\t0\t\t" total "\t0"

/* A function gets the name of its construct: its samples of before are no news. */
static void samples_of_a_function_with_a_new_name_count_once(void **state)
{
  struct live_reader *reader = *state;
  int64_t total;
  TAKE(reader, "reading\t2000", "thread\t7\t1\tinitial\tmain", "look\t7\tlives\t1000\t2000\t2000\t",
       FUNCTION("0", "main"), FUNCTION("1", "main._omp_fn.0"), SAMPLES("0", "5", "15"), SAMPLES("1", "10", "10"));
  struct live_reading before = result(reader), between;
  TAKE(reader, "reading\t3000", "look\t7\tlives\t1000\t3000\t3000\t", FUNCTION("2", "!$omp parallel @a.c:12"),
       SAMPLES("0", "105", "117"), SAMPLES("2", "12", "12"));
  struct live_reading now = result(reader);
  assert_true(live_between(&before, &now, &between));
  assert_int_equal(samples_of(&between, 0, &total), 100);
  assert_int_equal(total, 102);
  assert_int_equal(samples_of(&between, 1, &total), 0);
  assert_int_equal(total, 0);
  assert_int_equal(samples_of(&between, 2, &total), 2);
  assert_int_equal(total, 2);
  live_reading_free(&between);
  live_reading_free(&before);
  live_reading_free(&now);
}

static void sums_between_readings_stay_apart(void **state)
{
  struct live_reader *reader = *state;
  reader->apart = true;
  TAKE(reader, COUNTED);
  struct live_reading before = result(reader), between;
  TAKE(reader, "reading\t6000", "look\t1\tlives\t1000\t3000\t3000\t",
       "row\t1\tconstruct\t0\t13\t600\t600\t300\t0\t0\t0\tmember=0\t9:13",
       "row\t1\tconstruct\t0\t4\t100\t100\t300\t0\t0\t0\tmember=1\t9:4",
       "metric\t1\ttasks made\t0\t0\t\t\t12\t0\t0\t0\t0\t0\t\t0\t0",
       "metric\t1\ttasks made\t0\t1\t\t\t6\t0\t0\t0\t0\t0\t\t0\t0");
  struct live_reading now = result(reader);
  assert_true(live_between(&before, &now, &between));
  assert_true(value(&between, "loops@member=0") == 10 && value(&between, "loops@member=1") == 0);
  assert_true(value(&between, "tasks-made@member=1") == 1 && value(&between, "tasks-made") == 1);
  live_reading_free(&between);
  live_reading_free(&now);
  live_reading_free(&before);
}

static uint32_t needs(const char *text)
{
  struct error error;
  struct live_asked asked;
  if (!live_asked_take(text, &asked, &error))
    fail_msg("%s: %s", text, error.message);
  live_asked_free(&asked);
  return asked.needs;
}

static void pairs_need_what_they_are_of(void **state)
{
  (void)state;
  struct error error;
  struct live_asked asked;
  enum { AROUND = LIVE_NEED_REGIONS | LIVE_NEED_WORKS | LIVE_NEED_TASKS | LIVE_NEED_USER };
  assert_int_equal(needs("contended-locks@a.c,thread=w"), LIVE_NEED_LOCKS);
  assert_int_equal(needs("locks@lock=forks*"), LIVE_NEED_LOCK_COUNTS);
  assert_int_equal(needs("locks@lock=forks*,construct=a.c:1"), LIVE_NEED_LOCK_COUNTS | AROUND);
  assert_int_equal(needs("loops@member=1"), LIVE_NEED_WORKS | LIVE_NEED_REGIONS);
  assert_int_equal(needs("loops@construct=a.c:1"), LIVE_NEED_WORKS);
  assert_int_equal(needs("idle-time@thread=w"), LIVE_NEED_ALL);
  for (size_t i = 0; i < live_asked_metric_count; i++)
    assert_true(live_asked_metrics[i].needs != 0 || live_asked_metrics[i].of == LIVE_OF_MEASURING);
  static const char *const wrong[] = {"",
                                      "@",
                                      "lock",
                                      "locks@",
                                      "LOCKS",
                                      "run-time@a.c",
                                      "run-time@a.c,thread=w",
                                      "locks @a.c",
                                      "gc@a.c",
                                      "run-time@member=1",
                                      "tasks-made@lock=a",
                                      "loops@event=a",
                                      "chunks@state=run",
                                      "locks@lock=a,state=run",
                                      "locks@lock=",
                                      "locks@lock=a,nonsense=b"};
  for (size_t i = 0; i < COUNT_OF(wrong); i++)
    if (live_asked_take(wrong[i], &asked, &error) || error.message[0] == '\0')
      fail_msg("is taken: %s", wrong[i]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* Time in a queue because of the observer would have been time on a processor; no more of it than there is. */
static void time_in_a_queue_may_be_due_to_the_observer(void **state)
{
  (void)state;
  const struct live_task from = {.known = true, .on_ns = 1000, .queued_ns = 500, .state = 'R'};
  const struct live_task to = {.known = true, .on_ns = 1700, .queued_ns = 800, .state = 'S'};
  const uint64_t own[] = {0, 100, 300, 301, UINT64_MAX}, queued[] = {300, 200, 0, 0, 0};
  for (size_t i = 0; i < COUNT_OF(own); i++) {
    struct live_task between = live_task_between(from, to, own[i]);
    assert_true(between.known && between.state == 'S');
    assert_int_equal(between.queued_ns, queued[i]);
    assert_int_equal(between.on_ns, 1000 - queued[i]);
  }
  assert_false(live_task_between((struct live_task){.known = false}, to, 0).known);
  assert_false(live_task_between(from, (struct live_task){.known = false}, 0).known);
  assert_int_equal(live_task_between(to, from, 5).on_ns, 0); /* another thread with its number */
}

UNIT_TEST(live)
{
  static const struct CMUnitTest tests[] = {TEST(lines_are_a_reading),
                                            TEST(rows_that_are_alike_add_up),
                                            TEST(threads_that_end),
                                            TEST(what_came_between_two_readings),
                                            TEST(a_row_that_shrinks),
                                            TEST(rows_that_are_newer_than_the_look),
                                            TEST(the_largest_numbers),
                                            TEST(lines_that_are_wrong),
                                            TEST(lines_in_no_reading),
                                            TEST(pairs_have_their_rows),
                                            TEST(pairs_have_their_counts),
                                            TEST(values_of_events_are_whole_or_real),
                                            TEST(sums_between_readings_stay_apart),
                                            TEST(samples_of_a_function_with_a_new_name_count_once),
                                            TEST(pairs_need_what_they_are_of),
                                            TEST(time_in_a_queue_may_be_due_to_the_observer)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
