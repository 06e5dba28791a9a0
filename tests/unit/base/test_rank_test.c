/* Answers of the textbook and of counting all divisions; with no difference, p is uniform. */
#include "base/hash.h"
#include "base/rank_test.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static struct rank_test test_of(const double *first, size_t first_count, const double *second, size_t second_count)
{
  struct rank_test result;
  assert_true(rank_test(first, first_count, second, second_count, &result));
  return result;
}

/* Hollander and Wolfe (1973), p. 69: permeability constants of the human chorioamnion. */
static void the_textbook_s_example(void **state)
{
  (void)state;
  static const double term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
  static const double early[] = {1.15, 0.88, 0.90, 0.74, 1.21};
  struct rank_test result = test_of(term, COUNT(term), early, COUNT(early));
  assert_float_equal(result.less, 382. / 3003, 1e-12);
  assert_float_equal(result.greater, 2693. / 3003, 1e-12);
  assert_float_equal(result.least, 1. / 3003, 1e-12);
  assert_float_equal(result.shift, -0.305, 1e-12);
  assert_float_equal(result.low, -0.76, 1e-12);
  assert_float_equal(result.high, 0.15, 1e-12);
}

static void ties_are_exact(void **state)
{
  (void)state;
  static const double first[] = {1, 2, 2, 3}, second[] = {2, 3, 3, 4, 4}, same[] = {5, 5, 5};
  struct rank_test result = test_of(first, COUNT(first), second, COUNT(second));
  assert_float_equal(result.greater, 10. / 126, 1e-12);
  assert_float_equal(result.less, 125. / 126, 1e-12);
  result = test_of(same, COUNT(same), same, COUNT(same));
  assert_float_equal(result.greater, 1, 1e-12);
  assert_float_equal(result.least, 1, 1e-12);
  assert_float_equal(result.shift, 0, 1e-12);
}

static void few_values_have_no_interval(void **state)
{
  (void)state;
  static const double first[] = {1, 2, 3, 4}, second[] = {11, 12, 13, 15};
  struct rank_test result = test_of(first, 3, second, 3);
  assert_float_equal(result.greater, 1. / 20, 1e-12);
  assert_true(isnan(result.low) && isnan(result.high));
  result = test_of(first, 4, second, 4);
  assert_float_equal(result.low, 7, 1e-12); /* 1 of 70 lies outside on either side, and 2 of 70 inside of that */
  assert_float_equal(result.high, 14, 1e-12);
  result = test_of(first, 1, second, 1);
  assert_float_equal(result.least, 0.5, 1e-12);
  assert_float_equal(result.shift, 10, 1e-12);
}

/* p at most x has the probability x at most, for exact and for approximate p; the interval has its share of 95 %. */
static void no_difference_is_seldom_one(void **state)
{
  (void)state;
  static const size_t sizes[] = {5, 10, 40};
  for (size_t k = 0; k < COUNT(sizes); k++) {
    uint64_t random = 17;
    unsigned found = 0, covered = 0, trials = sizes[k] > 20 ? 1000 : 4000;
    for (unsigned i = 0; i < trials; i++) {
      double values[80];
      for (size_t n = 0; n < 2 * sizes[k]; n++)
        values[n] = (double)(hash_draw(&random) % 1000);
      struct rank_test result = test_of(values, sizes[k], values + sizes[k], sizes[k]);
      found += result.greater <= 0.05;
      covered += result.low <= 0 && 0 <= result.high;
    }
    assert_true(found <= trials * 0.06 && found >= trials * 0.03);
    assert_true(covered >= trials * 0.94);
  }
}

static void so_many_are_needed(void **state)
{
  (void)state;
  assert_int_equal(rank_test_needed(0.5), 1);
  assert_int_equal(rank_test_needed(0.05), 3);       /* 1 of 20 */
  assert_int_equal(rank_test_needed(0.005), 5);      /* 1 of 252 */
  assert_int_equal(rank_test_needed(0.005 / 20), 8); /* 1 of 3432 is too much */
}

static void holm_s_example(void **state)
{
  (void)state;
  double p[] = {0.01, NAN, 0.04, 0.03, 0.005}, none[1];
  assert_true(holm_correct(p, NULL, COUNT(p)) && holm_correct(none, NULL, 0));
  assert_float_equal(p[0], 0.03, 1e-12);
  assert_true(isnan(p[1]));
  assert_float_equal(p[2], 0.06, 1e-12);
  assert_float_equal(p[3], 0.06, 1e-12);
  assert_float_equal(p[4], 0.02, 1e-12);
}

/* The first test has half of the level, each other one a quarter: steps 0.02 * 4 / 2, then 0.03 * 2 for the last two.
 */
static void weights_share_the_level(void **state)
{
  (void)state;
  double p[] = {0.02, 0.03, 0.9};
  static const double weights[] = {2, 1, 1};
  assert_true(holm_correct(p, weights, COUNT(p)));
  assert_float_equal(p[0], 0.04, 1e-12);
  assert_float_equal(p[1], 0.06, 1e-12);
  assert_float_equal(p[2], 0.9, 1e-12);
}

UNIT_TEST(rank_test)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_textbook_s_example),      cmocka_unit_test(ties_are_exact),
      cmocka_unit_test(few_values_have_no_interval), cmocka_unit_test(no_difference_is_seldom_one),
      cmocka_unit_test(so_many_are_needed),          cmocka_unit_test(holm_s_example),
      cmocka_unit_test(weights_share_the_level),
  };
  return cmocka_run_group_tests_name("rank_test", tests, NULL, NULL);
}
