/* Percentiles are the percentiles of all lengths, sorted, to a 32nd; parts that are put together are the whole. */
#include "base/statistics.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

#define COUNT 1000

static int compare(const void *a, const void *b)
{
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

/* From a few ticks to hours. */
static void make(uint64_t *list)
{
  uint64_t random = 7;
  for (unsigned i = 0; i < COUNT; i++) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    list[i] = (random >> 20) >> (random % 41);
  }
}

static void percentiles_are_those_of_the_sorted(void **state)
{
  (void)state;
  static const double parts[] = {0.001, 0.25, 0.5, 0.9, 0.999, 1};
  uint64_t list[COUNT];
  struct lengths lengths = {0};
  make(list);
  assert_int_equal(lengths_percentile(&lengths, 0.5), 0);
  for (unsigned i = 0; i < COUNT; i++)
    assert_true(lengths_add(&lengths, list[i]));
  qsort(list, COUNT, sizeof *list, compare);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    uint64_t exact = list[(unsigned)(parts[i] * COUNT + 0.5) - 1], found = lengths_percentile(&lengths, parts[i]);
    assert_true(found >= exact && found - exact <= exact / 32);
  }
  assert_int_equal(lengths_percentile(&lengths, 1), list[COUNT - 1]);
  lengths_free(&lengths);
}

static void parts_are_the_whole(void **state)
{
  (void)state;
  uint64_t list[COUNT];
  struct lengths whole = {0}, parts[3] = {{0}}, sum = {0};
  make(list);
  for (unsigned i = 0; i < COUNT; i++)
    assert_true(lengths_add(&whole, list[i]) && lengths_add(&parts[i % 2], list[i])); /* the third stays empty */
  for (unsigned i = 0; i < 3; i++)
    assert_true(lengths_merge(&sum, &parts[i]));
  assert_int_equal(sum.count, whole.count);
  assert_int_equal(sum.min, whole.min);
  assert_int_equal(sum.max, whole.max);
  assert_true(sum.total == whole.total && sum.squares == whole.squares);
  assert_memory_equal(sum.buckets, whole.buckets, LENGTHS_BUCKETS * sizeof *sum.buckets);
  for (unsigned i = 0; i < 3; i++)
    lengths_free(&parts[i]);
  lengths_free(&whole);
  lengths_free(&sum);
}

UNIT_TEST(statistics)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(percentiles_are_those_of_the_sorted),
      cmocka_unit_test(parts_are_the_whole),
  };
  return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
