/* Intervals that are kept for a picture: sums are exact, the longest is there, memory is bounded. */
#include "analyzer/analyses/intervals/plan.h"
#include "analyzer/analyses/intervals/sampled_intervals.h"
#include "tests/unit/unit.h"

#include <string.h>

static struct spec *spec_of(const char *text)
{
  struct error error;
  struct spec *spec = spec_parse("t", text, strlen(text), &error);
  assert_true(spec && spec_check(spec, &error));
  return spec;
}

/* Puts `count` intervals of a kind that begin one tick after the other; returns the length of all. */
static uint64_t put(struct intervals_kept *kept, const struct spec_interval *interval, uint64_t count)
{
  uint64_t total = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t length = i * 7919 % 1000 + (i == count / 3 ? 5000 : 0);
    struct match_point start = {.time = i, .thread = (uint32_t)(i % 3)}, end = {.time = i + length, .thread = 9};
    assert_true(intervals_kept_put(kept, interval, &start, &end));
    total += length;
  }
  return total;
}

static void check_sums(const struct kept_kind *kind, uint64_t count, uint64_t total)
{
  uint64_t weights = 0, ticks = 0, longest = 0;
  for (size_t i = 0; i < kind->list.count; i++) {
    const struct kept_interval *one = &kind->list.items[i];
    weights += one->weight;
    ticks += one->total;
    longest = one->end - one->begin > longest ? one->end - one->begin : longest;
    assert_true(one->weight <= kind->every && one->from == one->begin % 3 && one->to == 9);
    assert_true(one->total <= (one->end - one->begin) * one->weight); /* it is the longest of them */
    assert_true(i == 0 || one->begin >= kind->list.items[i - 1].begin);
  }
  assert_int_equal(weights, count);
  assert_int_equal(ticks, total);
  assert_int_equal(longest, 5000 + count / 3 * 7919 % 1000);
}

static void sums_are_exact(void **state)
{
  (void)state;
  struct spec *spec = spec_of("interval A [ lock -> unlock ] interval B [ lock -> unlock ]");
  static const uint64_t counts[] = {3, 64, 65, 128, 129, 1000, 4097};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    struct intervals_kept kept;
    assert_true(intervals_kept_begin(&kept, spec, 130));
    uint64_t a = put(&kept, spec->intervals, counts[i]), b = put(&kept, spec->intervals->next, 3);
    intervals_kept_sort(&kept);
    assert_int_equal(kept.count, 2);
    assert_true(kept.kinds[0].list.count <= kept.most && kept.kinds[0].list.count * 2 >= (counts[i] < 64 ? 2 : 64));
    assert_int_equal(kept.kinds[0].every == 1, counts[i] <= kept.most);
    check_sums(&kept.kinds[0], counts[i], a);
    check_sums(&kept.kinds[1], 3, b);
    intervals_kept_free(&kept);
  }
  spec_free(spec);
}

static void a_sum_beyond_all_numbers_stops_there(void **state)
{
  (void)state;
  struct spec *spec = spec_of("interval A [ lock -> unlock ]");
  struct intervals_kept kept;
  assert_true(intervals_kept_begin(&kept, spec, 0));
  const struct match_point start = {0}, end = {.time = UINT64_MAX};
  for (unsigned i = 0; i <= INTERVALS_KEPT_LEAST; i++)
    assert_true(intervals_kept_put(&kept, spec->intervals, &start, &end));
  assert_true(kept.kinds[0].list.items[0].total == UINT64_MAX && kept.kinds[0].list.items[0].weight == 2);
  intervals_kept_free(&kept);
  spec_free(spec);
}

UNIT_TEST(intervals_kept)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_exact),
                                     cmocka_unit_test(a_sum_beyond_all_numbers_stops_there)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
