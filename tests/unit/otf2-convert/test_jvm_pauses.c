/* The JVM's log: lines of JDK 17 and 25, lines that are wrong, and which safepoints are pauses of their own. */
#include "otf2-convert/scan/jvm_pauses.h"
#include "tests/unit/unit.h"

#include "base/count_of.h"

#include <stdio.h>
#include <string.h>

static struct jvm_log read_lines(const char *const *lines, size_t count)
{
  struct jvm_log log = {.passed = 0};
  for (size_t i = 0; i < count; i++) {
    char copy[512];
    snprintf(copy, sizeof copy, "%s", lines[i]);
    assert_true(jvm_log_line(&log, copy));
  }
  return log;
}
#define READ(...) read_lines((const char *const[]){__VA_ARGS__}, COUNT_OF(((const char *const[]){__VA_ARGS__})))

static void stops_have_their_begin_and_end(void **state)
{
  (void)state;
  struct jvm_log log =
      READ("[5000000000ns][21187] Safepoint \"ThreadDump\", Time since last: 177 ns, Reaching safepoint: 140672 ns, "
           "Cleanup: 60503 ns, At safepoint: 41908 ns, Total: 243083 ns",
           "[6000000000ns][21249 ] Safepoint \"Cleanup\", Time since last: 174912676 ns, " /* - */
           "Reaching safepoint: 2580696 ns, At safepoint: 66234 ns, Leaving safepoint: 30156 ns, Total: 2677086 ns, "
           "Threads: 4 runnable, 13 total",
           "[7000000000ns][29419] Allocation Stall (eater-3) 6.724ms",
           "[7000000000ns][29418] Allocation Stall (a) 99999.000ms) 0.001ms");
  assert_int_equal(log.safepoints.count, 2);
  assert_string_equal(log.safepoints.items[0].name, "ThreadDump");
  assert_int_equal(log.safepoints.items[0].begin, 5000000000 - 243083);
  assert_int_equal(log.safepoints.items[0].end, 5000000000);
  assert_string_equal(log.safepoints.items[1].name, "Cleanup");
  assert_int_equal(log.safepoints.items[1].end - log.safepoints.items[1].begin, 2677086);
  assert_int_equal(log.stalls.count, 2);
  assert_int_equal(log.stalls.items[0].tid, 29419);
  assert_int_equal(log.stalls.items[0].begin, 7000000000 - 6724000);
  assert_int_equal(log.stalls.items[1].end - log.stalls.items[1].begin, 1000);
  jvm_log_free(&log);
}

static void collections_are_none(void **state)
{
  (void)state;
  struct jvm_log log =
      READ("[9ns][1] Safepoint \"ZMarkStart\", Total: 5 ns", "[9ns][1] Safepoint \"XMarkEnd\", Total: 5 ns",
           "[9ns][1] Safepoint \"G1CollectForAllocation\", Total: 5 ns",
           "[9ns][1] Safepoint \"GenCollectForAllocation\", Total: 5 ns",
           "[9ns][1] Safepoint \"ParallelGCFailedAllocation\", Total: 5 ns",
           "[9ns][1] Safepoint \"ShenandoahInitMark\", Total: 5 ns");
  assert_int_equal(log.safepoints.count, 0);
  jvm_log_free(&log);
}

static void lines_that_are_wrong_are_passed_over(void **state)
{
  (void)state;
  struct jvm_log log = READ(
      "", "[", "[1ns]", "[1ns][1]", "[1ns][1] ", "Safepoint \"A\", Total: 1 ns",
      "[x ns][1] Safepoint \"A\", Total: 1 ns", "[9ns][1] Safepoint \"A", "[9ns][1] Safepoint \"A\"",
      "[9ns][1] Safepoint \"A\", Total: ns", "[9ns][1] Safepoint \"A\", Total: 10 ns", /* longer than the JVM has run */
      "[9ns][1] Safepoint \"A\", Total: 0 ns", "[9ns][1] Safepoint \"\", Total: 1 ns",
      "[9ns][1] Safepoint \"\x1b[1m\", Total: 1 ns", "[9999999999999999999999ns][1] Safepoint \"A\", Total: 1 ns",
      "[9000000000000000000ns][1] Safepoint \"A\", Total: 8000000000000000000 ns", "[9ns][1] Allocation Stall (",
      "[9ns][1] Allocation Stall (x)", "[9ns][1] Allocation Stall (x) 1ms", "[9ns][1] Allocation Stall (x) 1.23ms",
      "[9ns][1] Allocation Stall (x) 1.234s", "[9ns][1] Allocation Stall (x) 99999999999999999999.000ms",
      "[9ns][1] Allocation Stall (x) -1.000ms");
  assert_int_equal(log.safepoints.count, 0);
  assert_int_equal(log.stalls.count, 0);
  jvm_log_free(&log);
}

static void stalls_are_found_by_thread(void **state)
{
  (void)state;
  struct jvm_log log = {.passed = 0};
  const struct jvm_stall stalls[] = {{10, 20, 3}, {30, 40, 3}, {15, 17, 5}};
  size_t count;
  for (size_t i = 0; i < COUNT_OF(stalls); i++)
    assert_true(vector_push(&log.stalls, stalls[i]));
  assert_ptr_equal(jvm_log_stalls(&log, 3, &count), &log.stalls.items[0]);
  assert_int_equal(count, 2);
  assert_ptr_equal(jvm_log_stalls(&log, 5, &count), &log.stalls.items[2]);
  assert_int_equal(count, 1);
  for (size_t i = 0; i < 3; i++) {
    assert_null(jvm_log_stalls(&log, (const uint64_t[]){0, 4, UINT64_MAX}[i], &count));
    assert_int_equal(count, 0);
  }
  jvm_log_free(&log);
}

static uint32_t name_of(void *context, const char *text)
{
  (void)context;
  return (uint32_t)text[0];
}

/* In slices: a safepoint in which there was a collection, also in an earlier slice, is that one; each is added once. */
static void a_safepoint_with_a_collection_is_the_collection(void **state)
{
  (void)state;
  const struct jvm_safepoint safepoints[] = {{10, 20, "A"}, {30, 45, "B"}, {50, 60, "C"}, {61, 90, "D"}, {91, 95, "E"}};
  const struct gc_pause collections[] = {{32, 44, GC_PAUSE_COLLECTION}, {62, 64, GC_PAUSE_COLLECTION}};
  const uint32_t kinds[] = {'A', GC_PAUSE_COLLECTION, 'C', GC_PAUSE_COLLECTION, 'E'};
  struct jvm_log log = {.passed = 0};
  struct gc_pauses pauses = {.dropped = 0};
  for (size_t i = 0; i < COUNT_OF(safepoints); i++)
    assert_true(vector_push(&log.safepoints, safepoints[i]));
  for (size_t i = 0; i < COUNT_OF(collections); i++)
    assert_true(vector_push(&pauses.list, collections[i]));
  assert_true(gc_pauses_add_safepoints(&pauses, &log, 65, name_of, NULL));
  gc_pauses_sort(&pauses, 0);
  assert_int_equal(pauses.list.count, 4);
  assert_true(gc_pauses_add_safepoints(&pauses, &log, UINT64_MAX, name_of, NULL));
  assert_int_equal(pauses.list.count, COUNT_OF(kinds));
  for (size_t i = 0; i < COUNT_OF(kinds); i++)
    assert_int_equal(pauses.list.items[i].operation, kinds[i]);
  vector_free(&pauses.list);
  jvm_log_free(&log);
}

#define TEST(name) cmocka_unit_test(name)

UNIT_TEST(jvm_pauses)
{
  static const struct CMUnitTest tests[] = {
      TEST(stops_have_their_begin_and_end), TEST(collections_are_none), TEST(lines_that_are_wrong_are_passed_over),
      TEST(stalls_are_found_by_thread), TEST(a_safepoint_with_a_collection_is_the_collection)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
