/*
 * Tests of the difference between two small groups of values, as runs of two versions of a program. The test is
 * Wilcoxon's, Mann's and Whitney's, of rank sums. The shift and its interval are Hodges' and Lehmann's.
 *
 * The test is exact for up to RANK_TEST_EXACT values, also with ties. It counts the divisions of the pooled values into
 * groups of these sizes that have a rank sum as extreme. Values must be exchangeable if the groups don't differ. With
 * more values, it is the normal approximation with the correction for ties.
 */
#ifndef HEDDLE_BASE_RANK_TEST_H
#define HEDDLE_BASE_RANK_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANK_TEST_EXACT 64

struct rank_test {
  double greater;   /* p, one-sided: the second group is not higher */
  double less;      /* ... not lower */
  double least;     /* the smallest p, one-sided, that any division of these values has; 1: all are equal */
  double shift;     /* median of all differences, second less first, in the unit of the values */
  double low, high; /* interval of 95 % of the shift; NAN: too few values */
};

/* The values are finite; both groups have some. False: out of memory. */
bool rank_test(const double *first, size_t first_count, const double *second, size_t second_count,
               struct rank_test *result);

/* Returns the least size of two equal groups whose smallest p, one-sided, is at most `p`; 0 < p. */
unsigned rank_test_needed(double p);

/*
 * Corrects p for the number of tests, by Holm. The probability of any p below a level is then at most this level, also
 * if tests depend on each other. Weights, above 0, share the level out: a test with a larger one finds smaller
 * differences. NULL: all tests have the same. NAN, no test, stays. False: out of memory.
 */
bool holm_correct(double *p, const double *weights, size_t count);

/* The median; sorts the values. NAN: there are none. */
double doubles_median(double *values, size_t count);

#endif
